import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
// Floors seen on the machines of the project: bare Node starts in 33 ms, and ours may add 30 to it.
const BARE_START_MS = 33;
const MOST_ADDED_MS = 30;

describe("sotto, packed and installed in an empty directory", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sotto-packed-"));
    await run("npm", ["run", "build", "--workspace", "sotto"], { cwd: root });
    await run("npm", ["pack", "--workspace", "sotto", "--pack-destination", directory], { cwd: root });
    const [tarball] = (await readdir(directory)).filter((name) => name.endsWith(".tgz"));
    await writeFile(join(directory, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", `./${tarball}`], {
      cwd: directory,
    });
  }, 300_000);
  afterAll(() => rm(directory, { recursive: true }));

  const node = (code: string) =>
    run(process.execPath, ["--input-type=module", "-e", code], { cwd: directory });

  it("imports as ESM, and works", async () => {
    const { stdout } = await node(`
      import { createSession } from "sotto";
      const session = createSession({ cwd: ".", agent: { kind: "main" }, config: { critical_instruction: "Be kind." } });
      const turn = await session.turn({ userPrompt: "hi" });
      console.log(JSON.stringify(turn.reminders.map(({ text }) => text)));
    `);
    expect(JSON.parse(stdout)).toEqual(["<system-reminder>\nBe kind.\n</system-reminder>"]);
  });

  it("brings one dependency, and its import pulls in no optional part", async () => {
    expect((await readdir(join(directory, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
      "sotto",
      "valibot",
    ]);
    const { stdout } = await node(`
      await import("sotto");
      console.log(process.moduleLoadList.filter((name) => /sqlite|NativeModule worker_threads|child_process|NativeModule http/.test(name)).join());
    `);
    expect(stdout.trim()).toBe("");
  });

  it("has types that compile under strict settings", async () => {
    await writeFile(
      join(directory, "consumer.ts"),
      `import { anthropicMessages, createSession, createSqliteStore, SottoError, type Reminder } from "sotto";
       const session = createSession({ cwd: ".", agent: { kind: "main" }, store: createSqliteStore({ path: "x.db" }) });
       await session.record({ type: "mode_changed", mode: "plan" });
       // @ts-expect-error an event has to be one of the known ones
       try { await session.record({ type: "mode_chnged" }); } catch (error) { if (error instanceof SottoError) error.code; }
       const body = { model: "m", max_tokens: 1, messages: [{ role: "user" as const, content: "hi" }] };
       const turn = await session.turn({ dialect: anthropicMessages, body });
       const reminders: Reminder[] = turn.reminders;
       console.log(reminders.length, turn.body.messages.length);
       await turn.commit();\n`,
    );
    const flags =
      "--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2024 --types node".split(
        " ",
      );
    const types = ["--typeRoots", join(root, "node_modules/@types")];
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, ...flags, ...types, "consumer.ts"], {
      cwd: directory,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });

  it("takes little more than Node's own start to import", async () => {
    const time = async (code: string) => {
      const times: number[] = [];
      for (let round = 0; round < 9; round++) {
        const from = performance.now();
        await node(code);
        times.push(performance.now() - from);
      }
      return Math.min(...times);
    };
    const bare = await time("");
    const added = (await time('await import("sotto")')) - bare;
    const calibration = Math.max(1, bare / BARE_START_MS);
    expect(added).toBeLessThan(MOST_ADDED_MS * calibration * 1.5);
  });
});
