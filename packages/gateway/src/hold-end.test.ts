import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { holdEnd } from "./hold-end.ts";
import { readAnswer } from "./usage.ts";

const events = (lineEnd: string) =>
  ["response.created", "response.output_text.delta", "response.completed"]
    .map((type) => [
      `event: ${type}`,
      `data: ${JSON.stringify({ type, delta: 'a "response.failed" b' })}`,
      "",
      "",
    ])
    .map((lines) => lines.join(lineEnd))
    .join("");

function held() {
  const answer = { headers: { "content-type": "text/event-stream" }, complete: false };
  let keeps = 0;
  const stream = holdEnd(answer as unknown as IncomingMessage, {
    async keep() {
      keeps += 1;
    },
    longestMs: 60_000,
  });
  const write = (text: string) => new Promise<void>((done) => void stream.write(text, () => done()));
  let passed = "";
  stream.on("data", (chunk: Buffer) => {
    passed += chunk;
  });
  const end = (complete: boolean) => {
    answer.complete = complete;
    return new Promise<void>((done) => void stream.once("end", done).end());
  };
  return { write, end, keeps: () => keeps, passed: () => passed };
}

describe.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("a stream with lines that end with %s", (_name, lineEnd) => {
  const text = events(lineEnd);

  test("cut anywhere, is answered if its last event is whole, and not if it lacks a byte", async () => {
    for (let cut = 0; cut <= text.length; cut++) {
      const { write, end, keeps, passed } = held();
      await write(text.slice(0, cut / 2));
      await write(text.slice(cut / 2, cut));
      await end(false);
      expect([cut, keeps(), passed()]).toEqual([cut, cut === text.length ? 1 : 0, text.slice(0, cut)]);
    }
  });

  test("byte for byte, is kept once, before the end of its last event is passed on", async () => {
    const { write, end, keeps, passed } = held();
    for (const byte of text.slice(0, -1)) await write(byte);
    expect([keeps(), passed()]).toEqual([0, text.slice(0, -1)]);
    await write(text.slice(-1));
    await end(true);
    expect([keeps(), passed()]).toEqual([1, text]);
  });
});

test("a stream without a last event is kept with its whole end", async () => {
  for (const complete of [true, false]) {
    const { write, end, keeps } = held();
    await write("data: 1\n\n");
    await end(complete);
    expect(keeps()).toBe(complete ? 1 : 0);
  }
});

const ENCODERS = {
  gzip: () => zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createDeflate({ flush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliCompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH }),
};

test.each(Object.keys(ENCODERS) as (keyof typeof ENCODERS)[])(
  "of a stream encoded as %s all events pass, and the last one when it is kept",
  async (coding) => {
    const encoder = ENCODERS[coding]();
    const headers = { "content-type": "text/event-stream", "content-encoding": coding };
    const answer = Object.assign(new PassThrough(), { headers, complete: true }) as unknown as PassThrough &
      IncomingMessage;
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const keep = () => {
      ask();
      return stored;
    };
    const decoding = readAnswer(answer, { words: false }, () => undefined);
    const passed = answer.pipe(holdEnd(answer, { keep, decoding, longestMs: 600_000 }));
    const decoder = passed.pipe(zlib[coding === "br" ? "createBrotliDecompress" : "createUnzip"]());
    let heard = "";
    decoder.on("data", (piece: Buffer) => {
      heard += piece;
    });
    encoder.pipe(answer);
    const [created = "", delta = "", completed = ""] = events("\n").split(/(?<=\n\n)/u);
    for (const event of [created, delta]) {
      const before = heard;
      encoder.write(event);
      await expect.poll(() => heard).toBe(before + event);
    }
    encoder.end(completed);
    await asked;
    expect(heard).toBe(created + delta);
    store();
    await expect.poll(() => heard).toBe(events("\n"));
  },
);
