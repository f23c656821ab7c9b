import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMentionedFiles } from "../../../../../test/support/mentioned-files.ts";
import { LOAD_LIMITS } from "./content.ts";
import { scaleImage } from "./image-jobs.ts";

let files: ReturnType<typeof openMentionedFiles>;
beforeAll(() => {
  files = openMentionedFiles();
});
afterAll(() => files.close());

const plain = (width: number, height: number, background = "#3366cc") =>
  sharp({ create: { width, height, channels: 3, background } });
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: "#888",
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  });
const loaded = async (name: string) => {
  const outcome = await files.load(name);
  if (outcome.kind !== "content" || outcome.content.type !== "image")
    throw new Error(`no image: ${JSON.stringify(outcome)}`);
  const { width, height } = await sharp(outcome.content.bytes).metadata();
  const { mediaType, bytes } = outcome.content;
  return { ...outcome, mediaType, bytes, size: [width, height] };
};

/** A valid picture as far as its structure goes. */
function pngOf({ width, height, pixels }: { width: number; height: number; pixels: Uint8Array }): Buffer {
  const chunk = (type: string, data: Uint8Array) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
    bytes.writeUInt32BE(data.length);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
    return bytes;
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

describe("a mentioned image", () => {
  it.each(["png", "jpeg", "gif", "webp"] as const)("comes as it is where it fits: %s", async (format) => {
    const bytes = await plain(1568, 100).toFormat(format).toBuffer();
    // By its bytes, not by its ending.
    files.put(`fits-${format}.txt`, bytes);
    expect(await files.load(`fits-${format}.txt`)).toEqual({
      kind: "content",
      content: { type: "image", mediaType: `image/${format}`, bytes: new Uint8Array(bytes) },
      truncated: false,
      realPath: files.at(`fits-${format}.txt`),
      stat: files.stat(`fits-${format}.txt`),
      hash: createHash("sha256").update(bytes).digest("hex"),
      whole: true,
    });
  });

  it.each([
    ["png", "image/png"],
    ["jpeg", "image/jpeg"],
    ["gif", "image/png"],
    ["webp", "image/png"],
  ] as const)("is scaled down where it does not: %s", async (format, mediaType) => {
    const bytes = await plain(3136, 1000).toFormat(format).toBuffer();
    files.put(`wide.${format}`, bytes);
    expect(await loaded(`wide.${format}`)).toMatchObject({
      mediaType,
      size: [1568, 500],
      truncated: false,
      hash: createHash("sha256").update(bytes).digest("hex"),
      whole: true,
    });
  });

  it("stands upright when the camera was held another way", async () => {
    files.put("turned.jpg", await plain(3000, 1500).withMetadata({ orientation: 6 }).jpeg().toBuffer());
    expect((await loaded("turned.jpg")).size).toEqual([784, 1568]);
  });

  it("keeps what shines through, and becomes a photograph where that takes too many bytes", async () => {
    const glass = { width: 2000, height: 10, channels: 4 as const, background: "#3366cc80" };
    files.put("glass.png", await sharp({ create: glass }).png().toBuffer());
    expect(await sharp((await loaded("glass.png")).bytes).metadata()).toMatchObject({ hasAlpha: true });

    const heavy = await noise(1500, 1500).png({ compressionLevel: 0 }).toBuffer();
    expect(heavy.length).toBeGreaterThan(LOAD_LIMITS.imageBytes);
    files.put("heavy.png", heavy);
    const { mediaType, bytes, size } = await loaded("heavy.png");
    expect([mediaType, size]).toEqual(["image/jpeg", [1500, 1500]]);
    expect(bytes.length).toBeLessThanOrEqual(LOAD_LIMITS.imageBytes);
  });

  it("that moves is shown by its first frame", async () => {
    const frames = ["#ff0000", "#00ff00"].map((colour) => plain(20, 20, colour).png().toBuffer());
    const moving = sharp(await Promise.all(frames), { join: { animated: true } });
    for (const format of ["gif", "webp"] as const) {
      files.put(`moving.${format}`, await moving.clone().toFormat(format).toBuffer());
      const { mediaType, size, remark, bytes } = await loaded(`moving.${format}`);
      expect([mediaType, size, remark]).toEqual([
        "image/png",
        [20, 20],
        "It is animated: this is its first frame.",
      ]);
      const { dominant } = await sharp(bytes).stats();
      expect(dominant.r > 200 && dominant.g < 50).toBe(true);
    }
  });

  it("has no lines", async () => {
    files.put("dot.png", await plain(1, 1).png().toBuffer());
    expect(await files.load("dot.png", { lines: { lineStart: 1, lineEnd: 2 } })).toMatchObject({
      content: { type: "image" },
      remark: "It has no lines, so the range was left aside.",
      whole: false,
    });
  });

  it("is never whole when it is over 2 MB: its changes cannot be followed", async () => {
    files.put("big.png", Buffer.concat([await plain(1, 1).png().toBuffer(), Buffer.alloc(2 * 1024 * 1024)]));
    expect(await files.load("big.png")).toMatchObject({ content: { type: "image" }, whole: false });
  });
});

describe("an image that is not shown", () => {
  const refused = (name: string, why: string) => ({
    kind: "refused",
    why: `${files.at(name)} cannot be shown: ${why}`,
  });
  const tooLarge = (name: string, why: unknown) => ({
    kind: "too-large",
    why,
    realPath: files.at(name),
    stat: files.stat(name),
  });

  it("is cut off", async () => {
    const bytes = await noise(50, 50).png().toBuffer();
    files.put("cut.png", bytes.subarray(0, 1000));
    expect(await files.load("cut.png")).toEqual(refused("cut.png", "it ends in the middle"));
    files.put("head.jpg", Buffer.from([0xff, 0xd8, 0xff]));
    expect(await files.load("head.jpg")).toEqual(refused("head.jpg", "it ends in the middle"));
  });

  it("is damaged inside", async () => {
    files.put("junk.png", pngOf({ width: 2000, height: 2000, pixels: Buffer.from("no pixels") }));
    expect(await files.load("junk.png")).toMatchObject({
      kind: "refused",
      why: expect.stringContaining("cannot be shown"),
    });
  });

  it("is a bomb: few bytes, a billion pixels", async () => {
    files.put(
      "bomb.png",
      pngOf({ width: 30_000, height: 30_000, pixels: deflateSync(Buffer.alloc(1_000_000)) }),
    );
    const why = `${files.at("bomb.png")} has 30000 × 30000 pixels, too many to scale it down`;
    expect(await files.load("bomb.png")).toEqual(tooLarge("bomb.png", why));
  });

  it("has more pixels than it says", async () => {
    const bytes = new Uint8Array(await plain(3000, 3000).webp().toBuffer()).buffer;
    const limits = { edge: 1568, maxBytes: 1_000_000, maxPixels: 1_000_000, seconds: 20 };
    expect(await scaleImage({ bytes, hash: "", mediaType: "image/webp", ...limits })).toEqual({
      problem: expect.stringContaining("pixel limit"),
      tooLarge: true,
    });
  });

  it("stays too large", async () => {
    files.put("stays.png", await noise(1600, 1600).png().toBuffer());
    expect(await files.load("stays.png", { limits: { imageBytes: 1000, imageMs: 20_000 } })).toEqual(
      tooLarge("stays.png", `${files.at("stays.png")} cannot be shown: it stays too large when scaled down`),
    );
  });

  it("AC-46 takes too long: ended, and not tried again until it changes", async () => {
    files.put("slow.png", await plain(6000, 6000).png().toBuffer());
    const path = files.at("slow.png");
    const limits = { imageMs: 1 };
    expect(await files.load("slow.png", { limits })).toEqual({
      ...tooLarge("slow.png", `scaling ${path} down took longer than 1 ms and was ended`),
      slow: true,
    });
    expect(await files.load("slow.png", { limits })).toEqual({
      ...tooLarge(
        "slow.png",
        `scaling ${path} down took longer than 1 ms before; not tried again until its content changes`,
      ),
      slow: true,
    });
    const patience = new AbortController().signal;
    // 64 times as long, at most: that is not enough for this one on any machine.
    expect(await files.load("slow.png", { limits: { imageMs: 0.01 }, patience })).toMatchObject({
      slow: true,
    });
    expect(await files.load("slow.png", { limits: { imageMs: 2000 }, patience })).toMatchObject({
      content: { type: "image" },
    });
    files.put("slow.png", await plain(3136, 20).png().toBuffer());
    expect((await loaded("slow.png")).size).toEqual([1568, 10]);
  });

  it("has more bytes than are read", async () => {
    files.put("huge.png", Buffer.concat([await plain(1, 1).png().toBuffer(), Buffer.alloc(9 * 1024 * 1024)]));
    const why = `${files.at("huge.png")} has 9.0 MB, more than is read of an image or a PDF`;
    expect(await files.load("huge.png")).toEqual(tooLarge("huge.png", why));
  });

  it("needs sharp, and it is not installed: the command is told", async () => {
    files.put("needs.png", await plain(2000, 10).png().toBuffer());
    const needs =
      "is too large as it is (2000 × 10 pixels, 0.0 MB), and scaling it down needs the package sharp";
    expect(await files.load("needs.png", { work: files.workAlone })).toEqual(
      tooLarge("needs.png", `${files.at("needs.png")} ${needs}: npm install sharp`),
    );
    files.put("fits.png", await plain(20, 10).png().toBuffer());
    expect(await files.load("fits.png", { work: files.workAlone })).toMatchObject({ kind: "content" });
  });
});
