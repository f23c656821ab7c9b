import { expect, test } from "vitest";
import { createKeyboard } from "../../../agent/src/face/testing.ts";
import { createPace } from "./demo.ts";

function seated(isOn = true) {
  const modes: boolean[] = [];
  const input = Object.assign(createKeyboard(true), {
    setRawMode: (mode: boolean) => void modes.push(mode),
  });
  const ending = new AbortController();
  const heard: string[] = [];
  const onInterrupt = () => void heard.push("interrupt");
  const pace = createPace({
    input: input as unknown as Parameters<typeof createPace>[0]["input"],
    isOn,
    signal: ending.signal,
    onInterrupt,
  });
  return { pace, input, ending, heard, modes };
}

test("any key goes on at once, and the terminal is left as it was", async () => {
  const { pace, input, modes } = seated();
  pace.wrote(100_000);
  const resting = pace.rest();
  input.write("x");
  await resting;
  pace.close();
  expect(modes).toEqual([true, false]);
});

test("Ctrl-C ends, and whoever rests goes on", async () => {
  const { pace, input, ending, heard } = seated();
  pace.wrote(100_000);
  const resting = pace.rest();
  input.write("\u0003");
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(["interrupt"]);
  ending.abort();
  await resting;
});

test("switched off it never waits and touches no terminal", async () => {
  const { pace, modes } = seated(false);
  pace.wrote(100_000);
  await pace.rest();
  pace.close();
  expect(modes).toEqual([]);
});
