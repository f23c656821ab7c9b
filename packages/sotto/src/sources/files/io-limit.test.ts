import { describe, expect, it } from "vitest";
import { createIoLimit } from "./io-limit.ts";

/** A task that ends when told to. */
function pending<Value>() {
  const { promise, resolve } = Promise.withResolvers<Value>();
  return { task: () => promise, end: resolve };
}

const refused = (why: string) => why;

describe("the gate to the file system", () => {
  it("lets two through at once, in order, and gives everyone their own answer", async () => {
    const gate = createIoLimit();
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    const answers = Array.from({ length: 50 }, (_, index) =>
      gate.run({
        async task() {
          order.push(index);
          most = Math.max(most, ++inside);
          await new Promise(setImmediate);
          inside--;
          return index;
        },
        refused: () => -1,
      }),
    );
    const expected = Array.from({ length: 50 }, (_, index) => index);
    expect(await Promise.all(answers)).toEqual(expected);
    expect(order).toEqual(expected);
    expect(most).toBe(2);
  });

  it("does not take a process that stood still for a file system that does", async () => {
    const gate = createIoLimit({ limitMs: 200 });
    const task = async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      for (let steps = 0; steps < 3; steps++) await new Promise(setImmediate);
      return "read";
    };
    expect(await gate.run({ task, refused })).toBe("read");
  });

  it("does not take a slow machine for it either, but waits no longer than ten times the limit", async () => {
    const ends: (() => void)[] = [];
    const slow = () => new Promise<void>((resolve) => void ends.push(resolve));
    const probed = () => expect.poll(() => ends.length).toBeGreaterThan(0);
    const patient = createIoLimit({ limitMs: 20, probe: slow });
    const task = pending<string>();
    const read = patient.run({ task: task.task, refused });
    await probed();
    task.end("read");
    expect(await read).toBe("read");
    expect(await patient.run({ task: pending<string>().task, refused })).toBe("took longer than 20 ms");
  });

  it("answers at once when aborted, waiting or running, and tells the task", async () => {
    const gate = createIoLimit({ room: 1 });
    const controller = new AbortController();
    const first = pending<string>();
    let isOver = () => false;
    const running = gate.run({
      task(over) {
        isOver = over;
        return first.task();
      },
      refused,
      signal: controller.signal,
    });
    const waiting = gate.run({ task: async () => "ran", refused, signal: controller.signal });
    const patient = gate.run({ task: async () => "ran", refused });
    expect(isOver()).toBe(false);
    controller.abort();
    expect(await Promise.all([running, waiting])).toEqual(["aborted", "aborted"]);
    expect(isOver()).toBe(true);
    expect(await gate.run({ task: async () => "ran", refused, signal: controller.signal })).toBe("aborted");
    first.end("late");
    expect(await patient).toBe("ran");
  });

  it("goes on beside one stuck call; refuses when all are stuck; recovers when one comes back", async () => {
    const gate = createIoLimit({ limitMs: 20 });
    const quick = () => gate.run({ task: async () => "ran", refused });
    const stuck = [pending<string>(), pending<string>()] as const;
    expect(await gate.run({ task: stuck[0].task, refused })).toBe("took longer than 20 ms");
    expect(await Promise.all([quick(), quick(), quick()])).toEqual(["ran", "ran", "ran"]);
    const second = gate.run({ task: stuck[1].task, refused });
    const waiting = quick();
    expect(await Promise.all([second, waiting, quick()])).toEqual([
      "took longer than 20 ms",
      "the file system does not answer",
      "the file system does not answer",
    ]);
    expect(await quick()).toBe("the file system does not answer");
    stuck[0].end("late");
    await new Promise(setImmediate);
    expect(await quick()).toBe("ran");
    stuck[1].end("late");
  });

  it("leaves no listeners on a signal that serves a whole turn", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on("warning", warn);
    const { signal } = new AbortController();
    const gate = createIoLimit();
    const calls = Array.from({ length: 300 }, () => gate.run({ task: async () => "ran", refused, signal }));
    await Promise.all(calls);
    await new Promise(setImmediate);
    process.off("warning", warn);
    expect(warnings).toEqual([]);
  });
});
