import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import type { ImageMediaType } from "./content.ts";
import { imageShape } from "./image.ts";

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: "#3366cc80" } });
const frames = async () =>
  sharp(
    await Promise.all(
      ["red", "green", "blue"].map((background) => blank(7, 5).flatten({ background }).png().toBuffer()),
    ),
    { join: { animated: true } },
  );

const IMAGES: [string, ImageMediaType, () => Promise<Buffer>][] = [
  ["png", "image/png", () => blank(300, 20).png().toBuffer()],
  [
    "png, interlaced, with a palette",
    "image/png",
    () => blank(300, 20).png({ progressive: true, palette: true }).toBuffer(),
  ],
  ["jpeg", "image/jpeg", () => blank(300, 20).jpeg().toBuffer()],
  [
    "jpeg, progressive, with metadata",
    "image/jpeg",
    () =>
      blank(300, 20)
        .withExif({ IFD0: { Artist: "me" } })
        .jpeg({ progressive: true })
        .toBuffer(),
  ],
  ["gif", "image/gif", () => blank(300, 20).gif().toBuffer()],
  ["webp", "image/webp", () => blank(300, 20).flatten().webp().toBuffer()],
  ["webp, lossless", "image/webp", () => blank(300, 20).webp({ lossless: true }).toBuffer()],
  ["webp, with transparency", "image/webp", () => blank(300, 20).webp().toBuffer()],
];

describe("the shape of an image", () => {
  it.each(IMAGES)("tells the size: %s", async (_name, mediaType, make) => {
    expect(imageShape(await make(), mediaType)).toEqual({ width: 300, height: 20, animated: false });
  });

  it.each(IMAGES)("tells where it was cut off: %s", async (_name, mediaType, make) => {
    const bytes = await make();
    for (let end = 12; end < bytes.length; end++)
      expect([end, imageShape(bytes.subarray(0, end), mediaType)]).toEqual([
        end,
        { problem: "it ends in the middle" },
      ]);
  });

  it("tells what moves", async () => {
    expect(imageShape(await (await frames()).gif().toBuffer(), "image/gif")).toEqual({
      width: 7,
      height: 5,
      animated: true,
    });
    expect(imageShape(await (await frames()).webp().toBuffer(), "image/webp")).toEqual({
      width: 7,
      height: 5,
      animated: true,
    });
    const png = await blank(7, 5).png().toBuffer();
    const control = Buffer.from([0, 0, 0, 8, 0x61, 0x63, 0x54, 0x4c, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    const animated = Buffer.concat([png.subarray(0, 33), control, png.subarray(33)]);
    expect(imageShape(animated, "image/png")).toEqual({ width: 7, height: 5, animated: true });
  });

  it("takes a frame that is larger than its screen for what it is", async () => {
    const gif = await blank(7, 5).gif().toBuffer();
    const frame = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 7, 0, 5, 0]));
    gif.writeUInt16LE(60_000, frame + 5);
    expect(imageShape(gif, "image/gif")).toEqual({ width: 60_000, height: 5, animated: false });
  });

  it("refuses what has no size or no pixels", async () => {
    const png = await blank(7, 5).png().toBuffer();
    png.writeUInt32BE(0, 16);
    expect(imageShape(png, "image/png")).toEqual({ problem: "it has no pixels" });
    const onlyEnds = Buffer.concat([png.subarray(0, 33), png.subarray(-12)]);
    expect(imageShape(onlyEnds, "image/png")).toEqual({ problem: "it has no pixels" });
    expect(imageShape(Buffer.from([0xff, 0xd8, 0xff, 0xd9]), "image/jpeg")).toEqual({
      problem: "it has no pixels",
    });
    expect(imageShape(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 1, 2, 3, 4]), "image/jpeg")).toEqual({
      problem: "its structure is damaged",
    });
  });

  it("never throws and always ends, whatever the bytes are", async () => {
    const samples = await Promise.all(
      IMAGES.map(async ([, mediaType, make]) => ({ mediaType, bytes: await make() })),
    );
    const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...samples), changes, fc.nat(500), ({ mediaType, bytes }, changed, end) => {
        const copy = Uint8Array.from(bytes);
        for (const [place, value] of changed) copy[place % copy.length] = value;
        const shape = imageShape(copy.subarray(0, end), mediaType);
        expect("problem" in shape || (shape.width > 0 && shape.height > 0)).toBe(true);
      }),
      runs(2000),
    );
    for (const [, mediaType] of IMAGES)
      for (const fill of [0, 0xff, 0x21, 0x2c]) {
        const flood = new Uint8Array(4 * 1024 * 1024).fill(fill);
        expect(imageShape(flood, mediaType)).toHaveProperty("problem");
      }
  });
});
