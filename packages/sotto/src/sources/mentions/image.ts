// A mentioned image: as it is where a provider takes it, else scaled down in a worker.

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
import { type ImageSize, imageShape } from "./image-size.ts";
import { isSlow, type Slow, workPatiently } from "./slow-work.ts";

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
    const scaled = await workPatiently<Exclude<ScaledImage, Slow>>(imageMs, job, tools);
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

// In the source tree it is a TypeScript file beside this one; in a bundle an entry of its own.
const JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./image-jobs.ts" : "./mention-image-jobs.js",
  import.meta.url,
).href;
