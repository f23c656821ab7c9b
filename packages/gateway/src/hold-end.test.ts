import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { holdEnd } from "./hold-end.ts";

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

function held(headers: Record<string, string> = {}) {
  const answer = { headers: { "content-type": "text/event-stream", ...headers }, complete: false };
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

test("a stream without a last event, or a compressed one, is kept with its whole end", async () => {
  for (const [headers, complete] of [
    [{}, true],
    [{}, false],
    [{ "content-encoding": "gzip" }, true],
  ] as const) {
    const { write, end, keeps } = held(headers);
    await write("data: 1\n\n");
    await end(complete);
    expect(keeps()).toBe(complete ? 1 : 0);
  }
});
