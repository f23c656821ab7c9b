// The prompt of one shot, with what is piped in behind it.

import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createKeyboard } from "../../../agent/src/face/testing.ts";
import { pipedPrompt } from "./stdin.ts";

const hello = { typed: "Hello", given: "" };

function pipeOf(...chunks: (string | Buffer)[]): PassThrough {
  const input = new PassThrough();
  for (const chunk of chunks) input.write(chunk);
  input.end();
  return input;
}

test("what is piped in stays apart from the words that were typed", async () => {
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
  expect(await pipedPrompt({ prompt: "Explain this:", input: pipeOf("a\n", first, second, "\n") })).toEqual({
    typed: "Explain this:",
    given: "a\né",
  });
});

test("nothing piped in, or nothing but that", async () => {
  expect(await pipedPrompt({ prompt: "Hello", input: pipeOf() })).toEqual(hello);
  expect(await pipedPrompt({ prompt: "Hello", input: pipeOf(" \n") })).toEqual(hello);
  expect(await pipedPrompt({ prompt: "", input: pipeOf("From the pipe.\n") })).toEqual({
    typed: "",
    given: "From the pipe.",
  });
});

test("a terminal is not read", async () => {
  expect(await pipedPrompt({ prompt: "Hello", input: createKeyboard(true) })).toEqual(hello);
});

test("a pipe nobody writes to is given up, and said so", async () => {
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  expect(await pipedPrompt({ prompt: "Hello", input: new PassThrough(), waitMs: 20, note })).toEqual(hello);
  expect(notes).toEqual([
    "nothing on stdin after 0.02 s: continuing without it (use < /dev/null if there is no input)",
  ]);
});

test("a slow pipe that has begun is waited for", async () => {
  const input = new PassThrough();
  const prompt = pipedPrompt({ prompt: "Hello", input, waitMs: 60_000 });
  input.write("begun");
  setImmediate(() => input.end(" and ended"));
  expect(await prompt).toEqual({ typed: "Hello", given: "begun and ended" });
});

test("what is no text is refused, and so is what cannot be read", async () => {
  await expect(pipedPrompt({ prompt: "x", input: pipeOf(Buffer.from([0xff])) })).rejects.toThrow(
    "stdin is not UTF-8 text",
  );
  const input = new PassThrough();
  const prompt = pipedPrompt({ prompt: "x", input });
  input.destroy(new Error("EIO"));
  await expect(prompt).rejects.toThrow("cannot read stdin: EIO");
});
