// What is read along while an answer passes by, whatever comes before it and in whatever pieces.

import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import zlib from "node:zlib";
import { expect, test, vi } from "vitest";
import { createBoundedBytes } from "./bounded-bytes.ts";
import { type AnswerFacts, readAnswer } from "./usage.ts";

const MB = 2 ** 20;

async function factsOf(
  pieces: Iterable<Buffer>,
  headers: Record<string, string> = { "content-type": "text/event-stream" },
): Promise<AnswerFacts & { named: string[] }> {
  const answer = Object.assign(new PassThrough(), { headers, complete: true });
  const named: string[] = [];
  const done = new Promise<AnswerFacts>((resolve) =>
    readAnswer(
      answer as unknown as IncomingMessage,
      { words: true, onId: (id) => void named.push(id) },
      resolve,
    ),
  );
  for (const piece of pieces) if (!answer.write(piece)) await new Promise(setImmediate);
  answer.end();
  return { ...(await done), named };
}

function* cut(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const created = event({ type: "response.created", response: { id: "resp_1", model: "m" } });
const said = event({ type: "response.output_text.delta", delta: "Grüße 🙂" });
const completed = event({
  type: "response.completed",
  response: { id: "resp_1", usage: { input_tokens: 7, output_tokens: 3 } },
});
const told = {
  id: "resp_1",
  named: ["resp_1"],
  words: "Grüße 🙂",
  usage: { input: 7, output: 3, cacheRead: 0, cacheWrite: 0 },
};

test("an event that is too long is passed over, and what stands behind it is read", async () => {
  const long = event({ type: "response.created", response: { id: "long", image: "A".repeat(20 * MB) } });
  const bytes = Buffer.from(long + created + said + completed);
  expect(await factsOf(cut(bytes, 16_384))).toMatchObject(told);
});

test("a long event within the limit is read", async () => {
  const image = event({ type: "response.image", image: "A".repeat(4 * MB), response: { usage: {} } });
  const completedLong = completed.replace('"usage"', `"image":"${"A".repeat(4 * MB)}","usage"`);
  const bytes = Buffer.from(image + created + said + completedLong);
  expect(await factsOf(cut(bytes, 16_384))).toMatchObject(told);
});

test("it does not matter where the pieces of an answer are cut", async () => {
  const bytes = Buffer.from((created + said + completed).replaceAll("\n", "\r\n"));
  for (const size of [1, 2, 3, 7]) expect(await factsOf(cut(bytes, size))).toMatchObject(told);
});

test("a compressed answer that is too long is not read", async () => {
  const image = { id: "resp_1", image: "A".repeat(17 * MB) };
  const bytes = zlib.gzipSync(JSON.stringify(image));
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  expect((await factsOf(cut(bytes, 16_384), headers)).named).toEqual([]);
});

/** The bytes copied and allocated while `pieces` of `size` bytes were added. */
function workOf(pieces: number, size: number, most: number) {
  const sums = { copied: 0, allocated: 0, largest: 0 };
  const bytes = createBoundedBytes(most);
  const piece = Buffer.alloc(size);
  const { copy } = Buffer.prototype;
  const { allocUnsafe } = Buffer;
  const copying = vi.spyOn(Buffer.prototype, "copy").mockImplementation(function (this: Buffer, ...args) {
    const copied: number = Reflect.apply(copy, this, args);
    sums.copied += copied;
    return copied;
  });
  const allocating = vi.spyOn(Buffer, "allocUnsafe").mockImplementation((length) => {
    sums.allocated += length;
    sums.largest = Math.max(sums.largest, length);
    return allocUnsafe(length);
  });
  try {
    for (let count = 0; count < pieces; count++) bytes.add(piece);
  } finally {
    copying.mockRestore();
    allocating.mockRestore();
  }
  return { ...sums, taken: bytes.take()?.length };
}

test.each([1, 100, 16_384])("the work grows with the bytes, in pieces of %i", (size) => {
  const pieces = 4096;
  const { copied, allocated, taken } = workOf(pieces, size, 1024 * MB);
  expect(taken).toBe(pieces * size);
  expect(copied).toBeLessThanOrEqual(3 * pieces * size);
  expect(allocated).toBeLessThanOrEqual(4 * pieces * size);
});

test("bytes without an end take up no more than the limit, and no work once they are beyond it", () => {
  const { copied, largest, taken } = workOf(64 * 1024, 1024, MB);
  expect(taken).toBeUndefined();
  expect(largest).toBeLessThanOrEqual(MB);
  expect(copied).toBeLessThanOrEqual(3 * MB);
});

const chunk = (finish_reason: string | null) =>
  event({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason }] });
const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } });
const candidate = (more: object) =>
  event({ candidates: [{ content: { parts: [{ text: "Hi" }] }, ...more }] });
const DONE = "data: [DONE]\n\n";

test.each([
  ["a chat without its end", chunk(null), false],
  ["a chat that says why it stopped", chunk(null) + chunk("stop"), true],
  ["a chat with only the mark at its end", chunk(null) + DONE, true],
  ["a chat with what it took at its end", chunk(null) + chunk("stop") + usage + DONE, true],
  ["a chat whose tokens are counted as it goes", usage + chunk(null) + usage, false],
  ["Gemini without its end", candidate({}) + candidate({ finishReason: null }), false],
  ["Gemini that says why it stopped", candidate({}) + candidate({ finishReason: "STOP" }), true],
])("a stream counts as answered if it has its end: %s", async (_, text, isWhole) => {
  const { failure } = await factsOf(cut(Buffer.from(text), 7));
  expect(failure).toBe(isWhole ? undefined : "it ended before it was whole");
});
