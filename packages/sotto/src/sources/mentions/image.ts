// A mentioned image: unchanged if providers accept it, otherwise scaled down in a worker.

import { errorText } from "../../platform/errors.ts";
import {
  type Bytes,
  type ImageMediaType,
  jobBytes,
  type LoadTools,
  megabytes,
  type Shown,
} from "./content.ts";
import type { ScaledImage, ScaleInput } from "./image-jobs.ts";
import { isSlow, retrySlowWork, type Slow } from "./slow-work.ts";

export interface ImageFile extends Bytes {
  mediaType: ImageMediaType;
}

const MEDIA_TYPES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
] satisfies ImageMediaType[];

export function isImage(mediaType: string): mediaType is ImageMediaType {
  return MEDIA_TYPES.includes(mediaType);
}

export async function loadImage(file: ImageFile, tools: LoadTools): Promise<Shown> {
  const { path, bytes, mediaType } = file;
  const { imageEdge, imageBytes, imagePixels } = tools.limits;
  const shape = imageShape(bytes, mediaType);
  if ("problem" in shape) return { kind: "refused", why: `${path} cannot be shown: ${shape.problem}` };
  const { width, height, animated } = shape;
  if (!animated && Math.max(width, height) <= imageEdge && bytes.length <= imageBytes)
    return { kind: "content", content: { type: "image", mediaType, bytes }, truncated: false };
  if (width * height > imagePixels)
    return { kind: "too-large", why: `${path} has ${width} × ${height} pixels, too many to scale it down` };
  return scale(file, shape, tools);
}

async function scale(file: ImageFile, shape: ImageSize, tools: LoadTools): Promise<Shown> {
  const { path, mediaType } = file;
  const { imageEdge: edge, imageBytes: maxBytes, imagePixels: maxPixels, imageMs } = tools.limits;
  const job = (limitMs: number) => {
    const seconds = Math.ceil(limitMs / 1000);
    const input: ScaleInput = { ...jobBytes(file), mediaType, edge, maxBytes, maxPixels, seconds };
    return { module: JOBS, name: "scaleImage", input, about: `scaling ${path} down` };
  };
  try {
    const scaled = await retrySlowWork<Exclude<ScaledImage, Slow>>(imageMs, job, tools);
    if ("missing" in scaled)
      return { kind: "too-large", why: `${path} ${need(shape, file)}: ${scaled.missing}` };
    if ("problem" in scaled)
      return {
        kind: scaled.tooLarge ? "too-large" : "refused",
        why: `${path} cannot be shown: ${errorText(scaled.problem)}`,
      };
    const remark = shape.animated ? "It is animated: this is its first frame." : undefined;
    return {
      kind: "content",
      content: { type: "image", mediaType: scaled.mediaType, bytes: scaled.bytes },
      truncated: false,
      ...(remark && { remark }),
    };
  } catch (error) {
    return { kind: "too-large", why: errorText(error), ...(isSlow(error) ? { slow: true } : {}) };
  }
}

function need({ width, height, animated }: ImageSize, { bytes }: ImageFile): string {
  if (animated) return "is animated, and taking its first frame needs the package sharp";
  const size = `${width} × ${height} pixels, ${megabytes(bytes.length)}`;
  return `is too large as it is (${size}), and scaling it down needs the package sharp`;
}

// In the source tree a TypeScript file next to this one; in a bundle an entry.
const JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./image-jobs.ts" : "./mention-image-jobs.js",
  import.meta.url,
).href;

// What the structure of an image shows without decoding it: its size, whether it is animated, whether it is complete.

export interface ImageSize {
  width: number;
  height: number;
  /** More than one frame: some providers refuse it, others use the first one. */
  animated: boolean;
}

export type ImageShape = ImageSize | { problem: string };

const CUT_OFF = { problem: "it ends in the middle" };
const DAMAGED = { problem: "its structure is damaged" };
const EMPTY = { problem: "it has no pixels" };

const READERS: Record<ImageMediaType, (view: DataView) => ImageShape> = {
  "image/png": png,
  "image/jpeg": jpeg,
  "image/gif": gif,
  "image/webp": webp,
};

/** Every step goes forward, so that no input can make it loop. */
export function imageShape(bytes: Uint8Array, mediaType: ImageMediaType): ImageShape {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const shape = READERS[mediaType](view);
    return "problem" in shape || (shape.width > 0 && shape.height > 0) ? shape : EMPTY;
  } catch {
    // The view throws when it is read past its end.
    return CUT_OFF;
  }
}

const IHDR = 0x49484452;
const IDAT = 0x49444154;
const IEND = 0x49454e44;
const ANIMATION_CONTROL = 0x6163544c;

function png(view: DataView): ImageShape {
  if (view.getUint32(12) !== IHDR) return DAMAGED;
  const size = { width: view.getUint32(16), height: view.getUint32(20) };
  let animated = false;
  let hasPixels = false;
  let at = 8;
  for (;;) {
    const chunk = view.getUint32(at + 4);
    if (chunk === IDAT) hasPixels = true;
    if (chunk === ANIMATION_CONTROL) animated = true;
    at += 12 + view.getUint32(at);
    if (chunk === IEND && at <= view.byteLength) return hasPixels ? { ...size, animated } : EMPTY;
  }
}

const END_OF_IMAGE = 0xffd9;

function jpeg(view: DataView): ImageShape {
  let at = 2;
  for (;;) {
    const marker = view.getUint16(at);
    if (marker < 0xff00) return DAMAGED;
    const kind = marker & 0xff;
    if (kind === 0xff)
      at += 1; // A byte to fill up.
    else if (kind === 0x01 || (kind >= 0xd0 && kind <= 0xd8)) at += 2;
    else if (kind === 0xd9 || kind === 0xda) return EMPTY;
    else if (isFrame(kind)) {
      const size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
      return endsAfter(view, at) ? { ...size, animated: false } : CUT_OFF;
    } else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
}

/** All kinds of coding, without the tables that have numbers between them. */
function isFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}

/** Cameras append data, so the image may end before the file does. */
function endsAfter(view: DataView, start: number): boolean {
  for (let at = view.byteLength - 2; at > start; at--) if (view.getUint16(at) === END_OF_IMAGE) return true;
  return false;
}

function gif(view: DataView): ImageShape {
  let width = view.getUint16(6, true);
  let height = view.getUint16(8, true);
  let frames = 0;
  let at = 13 + colourTable(view.getUint8(10));
  for (;;) {
    const block = view.getUint8(at);
    if (block === 0x3b) return frames === 0 ? EMPTY : { width, height, animated: false };
    if (block === 0x21) at = afterParts(view, at + 2);
    else if (block === 0x2c) {
      frames++;
      if (frames > 1) return { width, height, animated: true };
      width = Math.max(width, view.getUint16(at + 5, true));
      height = Math.max(height, view.getUint16(at + 7, true));
      at = afterParts(view, at + 11 + colourTable(view.getUint8(at + 9)));
    } else return DAMAGED;
  }
}

function colourTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function afterParts(view: DataView, start: number): number {
  let at = start;
  for (;;) {
    const length = view.getUint8(at);
    at += 1 + length;
    if (length === 0) return at;
  }
}

const LOSSY = 0x56503820;
const LOSSLESS = 0x5650384c;
const EXTENDED = 0x56503858;

function webp(view: DataView): ImageShape {
  if (view.getUint32(4, true) + 8 > view.byteLength) return CUT_OFF;
  const chunk = view.getUint32(12);
  if (chunk === LOSSY)
    return {
      width: view.getUint16(26, true) & 0x3fff,
      height: view.getUint16(28, true) & 0x3fff,
      animated: false,
    };
  if (chunk === LOSSLESS) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, animated: false };
  }
  if (chunk !== EXTENDED) return DAMAGED;
  return {
    width: (view.getUint32(24, true) & 0xffffff) + 1,
    height: (view.getUint32(26, true) >>> 8) + 1,
    animated: (view.getUint8(20) & 2) !== 0,
  };
}
