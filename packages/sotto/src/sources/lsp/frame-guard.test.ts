import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameGuard, type GuardLimits } from "./connection.ts";

const frame = (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** What comes through, in whatever pieces it is written; or why it ended. */
async function through(chunks: readonly Buffer[], limits: Partial<GuardLimits> = {}): Promise<string> {
  const guard = new FrameGuard(limits);
  const out: Buffer[] = [];
  guard.on("data", (chunk: Buffer) => out.push(chunk));
  const ended = once(guard, "end").then(
    () => Buffer.concat(out).toString(),
    (error: Error) => `failed: ${error.message}`,
  );
  for (const chunk of chunks) guard.write(chunk);
  guard.end();
  return ended;
}
const whole = (text: string, limits?: Partial<GuardLimits>) => through([Buffer.from(text)], limits);

describe("messages come through", () => {
  it("byte for byte, however they are cut", async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), cuts, async (bodies, sizes) => {
        const all = Buffer.from(bodies.map(frame).join(""));
        const chunks: Buffer[] = [];
        for (let at = 0, index = 0; at < all.length; index++) {
          const size = sizes[index % sizes.length] as number;
          chunks.push(all.subarray(at, at + size));
          at += size;
        }
        expect(await through(chunks)).toBe(all.toString());
      }),
    );
  });

  it("with other headers, in any case", async () => {
    const text = "content-type: x\r\nCONTENT-LENGTH:  2\r\n\r\n{}";
    expect(await whole(text)).toBe(text);
  });

  it("but for those that are too large", async () => {
    const text = [frame("{}"), frame("x".repeat(100)), frame("[]")].join("");
    expect(await whole(text, { messageBytes: 50 })).toBe(frame("{}") + frame("[]"));
  });
});

describe("it ends where", () => {
  it.each([
    ["there is no length", "Hello.\r\n\r\n", "it sent something that is not a message"],
    ["the length is no number", "Content-Length: -1\r\n\r\n{}", "it sent something that is not a message"],
    ["the header has no end", "x".repeat(5000), "it sent something that is not a message"],
    [
      "a message is beyond all sense",
      "Content-Length: 99999999999\r\n\r\n{",
      "it announced a message of 99999999999 bytes",
    ],
  ])("%s", async (_name, text, why) => {
    expect(await whole(text)).toBe(`failed: ${why}`);
  });

  it("too much comes at once", async () => {
    expect(await whole(frame("{}").repeat(11), { windowMessages: 10 })).toBe(
      "failed: it sent more than 10 messages in 10 seconds",
    );
    expect(await whole(frame("x".repeat(200)), { windowBytes: 100 })).toBe(
      "failed: it sent more than 100 bytes in 10 seconds",
    );
  });
});
