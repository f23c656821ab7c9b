import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorkerPool, type WorkerPool } from "./worker-pool.ts";

const module = new URL("../../../../test/support/jobs.ts", import.meta.url).href;

describe("the worker pool", () => {
  let pool: WorkerPool;
  let directory: string;

  beforeEach(async () => {
    pool = createWorkerPool({ hash: (text) => text });
    directory = await mkdtemp(join(tmpdir(), "sotto-worker-"));
  });
  afterEach(async () => {
    await pool.close();
    await rm(directory, { recursive: true });
  });

  const starts = async (mark: string) => (await readFile(mark, "utf8")).length;

  it("runs jobs and gives back what they return", async () => {
    const answers = [1, 2, 3].map((value) => pool.run({ module, name: "double", input: { value } }));
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  });

  it("takes an answer that came while its own thread was busy, however late that is", async () => {
    await pool.run({ module, name: "double", input: { value: 1 } });
    const answer = pool.run({ module, name: "spin", input: { mark: join(directory, "spins"), ms: 50 } });
    await new Promise((resolve) => setTimeout(resolve));
    // Timers come next, and messages after them; by then the answer is there and the limit has passed.
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.cpuUsage();
    const usedMs = () => (process.cpuUsage().user + process.cpuUsage().system - user - system) / 1000;
    for (let count = 0; usedMs() < 2500; count++) Math.sqrt(count);
    expect(await answer).toBe("done");
  });

  it("lets the process end when its jobs are done, however it was started", async () => {
    const pools = new URL("./worker-pool.ts", import.meta.url).href;
    const code = `
      import { createWorkerPool } from ${JSON.stringify(pools)};
      const pool = createWorkerPool({ hash: (text) => text });
      console.log(await pool.run({ module: ${JSON.stringify(module)}, name: "double", input: { value: 2 } }));`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], { timeout: 300_000 });
    expect(stdout).toBe("4\n");
  });

  it("AC-46 ends a job that spins, runs the others, and does not try it again until its input changes or it gets more time", async () => {
    const mark = join(directory, "spins");
    const spin = { module, name: "spin", about: "rules/a.md", input: { mark, ms: 30_000 } };
    const [spun, ...healthy] = await Promise.allSettled([
      pool.run(spin),
      ...[1, 2, 3].map((value) => pool.run({ module, name: "double", input: { value } })),
    ]);
    expect(healthy.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    expect(String((spun as PromiseRejectedResult).reason)).toBe(
      "SottoError: rules/a.md took longer than 250 ms and was ended",
    );
    await expect(pool.run(spin)).rejects.toThrow("not tried again until its content changes");
    expect(await starts(mark)).toBe(1);
    await expect(pool.run({ ...spin, limitMs: 251 })).rejects.toMatchObject({ code: "worker_slow" });
    expect(await starts(mark)).toBe(2);
    await expect(pool.run(spin)).rejects.toMatchObject({ code: "worker_slow" });
    await expect(pool.run({ ...spin, input: { mark, ms: 1 } })).resolves.toBe("done");
    expect(await starts(mark)).toBe(3);
  });

  it("AC-46 ends a job that takes a gigabyte, and stays usable", async () => {
    const mark = join(directory, "allocations");
    const job = { module, name: "allocate", input: { mark, megabytes: 1024 }, limitMs: 20_000 };
    await expect(pool.run(job)).rejects.toThrow("took more than 128 MB of memory and was ended");
    await expect(pool.run(job)).rejects.toThrow("not tried again");
    expect(await starts(mark)).toBe(1);
    expect(await pool.run({ module, name: "double", input: { value: 21 } })).toBe(42);
  });

  it("passes on the words of a job that throws, which may be tried again", async () => {
    const job = { module, name: "complain", input: {} };
    await expect(pool.run(job)).rejects.toThrow("complain failed: this input is not for me");
    await expect(pool.run(job)).rejects.toThrow("complain failed: this input is not for me");
  });

  const circular: { value: number; self?: unknown } = { value: 4 };
  circular.self = circular;
  const unsendable: [string, unknown][] = [
    ["a function", { at: () => 1 }],
    ["a symbol", Symbol("s")],
    ["a promise", Promise.resolve(1)],
    ["a port", new MessageChannel().port1],
    ["shared memory", new SharedArrayBuffer(1)],
    [
      "a getter that throws",
      {
        get at() {
          throw new Error("not now");
        },
      },
    ],
    [
      "a getter that throws what throws",
      {
        get at() {
          throw Object.create(null);
        },
      },
    ],
  ];
  it.each(unsendable)("AC-46 refuses input with %s every time, and loses no worker", async (_, input) => {
    const job = { module, name: "double", input };
    for (let count = 0; count < 4; count++)
      await expect(pool.run(job)).rejects.toMatchObject({
        code: "worker_failed",
        message: expect.stringContaining("double cannot be sent to a worker: "),
      });
    // Also beside jobs that wait.
    const settled = await Promise.allSettled(
      [1, 2, 3, 4].flatMap((value) => [pool.run({ ...job, input: { value } }), pool.run(job)]),
    );
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
  });

  it("sends what JSON cannot say, as it was when the job was given", async () => {
    const changing = { value: 1 };
    const before = [pool.run({ module, name: "spin", input: { mark: join(directory, "a"), ms: 1 } })];
    before.push(pool.run({ module, name: "spin", input: { mark: join(directory, "b"), ms: 1 } }));
    const running = pool.run({ module, name: "double", input: changing });
    changing.value = 100;
    expect(await running).toBe(2);
    await Promise.all(before);
    expect(await pool.run({ module, name: "double", input: circular })).toBe(8);
    const things = new Map([[1n, new Date()]]);
    expect(await pool.run({ module, name: "sizeOf", input: { things } })).toBe(1);
  });

  it("fails a job whose result cannot be sent, and keeps its worker", async () => {
    for (let count = 0; count < 3; count++)
      await expect(pool.run({ module, name: "giveFunction", input: {} })).rejects.toThrow(
        "giveFunction failed: () => 1 could not be cloned.",
      );
    expect(await pool.run({ module, name: "double", input: { value: 2 } })).toBe(4);
  });

  it("AC-46 fails a job that ends its worker at once, and runs those that wait", async () => {
    const leaving = [1, 2, 3].map((value) => pool.run({ module, name: "leave", input: { value } }));
    const waiting = pool.run({ module, name: "double", input: { value: 2 } });
    for (const one of await Promise.allSettled(leaving))
      expect(one).toMatchObject({
        reason: { code: "worker_failed", message: "leave left its worker with exit code 3 and was ended" },
      });
    expect(await waiting).toBe(4);
  });

  it("does not take what a module sends by itself for an answer", async () => {
    expect(await pool.run({ module, name: "chat", input: {} })).toBe("done");
    expect(await pool.run({ module, name: "double", input: { value: 2 } })).toBe(4);
  });

  it("names a job that is none", async () => {
    for (const wrong of [{}, { module: () => 1, name: "double" }, { module: "file:///none.js", name: "a" }])
      await expect(pool.run(wrong as never)).rejects.toMatchObject({ code: "worker_failed" });
    await Promise.allSettled([pool.run({ module, name: "double", input: 1, limitMs: 1n as never })]);
    expect(await pool.run({ module, name: "double", input: { value: 2 } })).toBe(4);
  });

  it("fails the jobs that it had when it is closed", async () => {
    const jobs = [1, 2, 3, 4].map((value) =>
      pool.run({ module, name: "spin", input: { mark: join(directory, `${value}`), ms: 60_000 } }),
    );
    const settled = Promise.allSettled(jobs);
    await pool.close();
    for (const { status } of await settled) expect(status).toBe("rejected");
  });
});
