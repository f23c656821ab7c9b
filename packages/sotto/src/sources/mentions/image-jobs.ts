// A worker's job: makes an image small enough for a provider. The only file that needs sharp, an optional package.

import { loadPackage } from "../../platform/optional-package.ts";
import type { ImageMediaType, JobBytes } from "./content.ts";

export interface ScaleInput extends JobBytes {
  mediaType: ImageMediaType;
  edge: number;
  maxBytes: number;
  maxPixels: number;
  /** Ends the work in sharp's own threads, which the job's limit cannot. */
  seconds: number;
}

export type ScaledImage =
  | { mediaType: "image/png" | "image/jpeg"; bytes: Uint8Array }
  | { problem: string; tooLarge: boolean }
  | { slow: true }
  /** How to get the package. */
  | { missing: string };

// Loaded with the module, as the job's time is for the image.
const loaded = await loadPackage("sharp", async () => (await import("sharp")).default);

export async function scaleImage(input: ScaleInput): Promise<ScaledImage> {
  if ("missing" in loaded) return loaded;
  const sharp = loaded.value;
  const { bytes, mediaType, edge, maxBytes, maxPixels, seconds } = input;
  try {
    // The first frame, upright; decoded once, as it may be encoded twice.
    const { data, info } = await sharp(bytes, { limitInputPixels: maxPixels, failOn: "truncated" })
      .timeout({ seconds })
      .autoOrient()
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const scaled = sharp(data, { raw: { width, height, channels } }).timeout({ seconds });
    // Everything but photographs stays lossless, unless that takes too much space.
    if (mediaType !== "image/jpeg") {
      const packed = await scaled.clone().png().toBuffer();
      if (packed.length <= maxBytes) return { mediaType: "image/png", bytes: new Uint8Array(packed) };
    }
    const packed = await scaled.flatten({ background: "white" }).jpeg({ quality: 80 }).toBuffer();
    if (packed.length <= maxBytes) return { mediaType: "image/jpeg", bytes: new Uint8Array(packed) };
    return { problem: "it stays too large when scaled down", tooLarge: true };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (/timeout/iu.test(problem)) return { slow: true };
    return { problem, tooLarge: /pixel limit/iu.test(problem) };
  }
}
