// The library's types as they are installed, with strict settings.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sotto-packed-"));
  await run("npm", ["run", "build", "--workspace", "sotto"], { cwd: root });
  await run("npm", ["pack", "--workspace", "sotto", "--pack-destination", directory], { cwd: root });
  const [tarball] = (await readdir(directory)).filter((name) => name.endsWith(".tgz"));
  await writeFile(join(directory, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const options = ["--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, `./${tarball}`, "valibot@1.5.0"], { cwd: directory });
});
afterAll(() => rm(directory, { recursive: true }));

it("sotto, packed and installed in an empty directory, has types that compile under strict settings", async () => {
  await writeFile(
    join(directory, "consumer.ts"),
    `import { anthropicMessages, createSession, createSqliteStore, SottoError, type Reminder } from "sotto";
     import { defineAttachment, skip } from "sotto/extend";
     import { type InstructionsReport, instructionsFor, mentionsIn } from "sotto/inspect";
     import * as v from "valibot";
     export const mine = defineAttachment({
       type: "mine", summary: "Mine.", tier: "core", when: "always", needs: ["todos"], content: "trusted",
       schema: v.object({ open: v.number() }),
       // @ts-expect-error a fact that was not asked for cannot be read
       trigger: ({ todos, mode }) => (todos.items.length === 0 ? skip(String(mode)) : [{ data: { open: 1 } }]),
       render: ({ open }) => String(open),
       examples: [{ title: "one", data: { open: 1 } }],
     });
     const session = createSession({ cwd: ".", agent: { kind: "main" }, store: createSqliteStore({ path: "x.db" }) });
     await session.record({ type: "mode_changed", mode: "plan" });
     // @ts-expect-error an event has to be one of the known ones
     try { await session.record({ type: "mode_chnged" }); } catch (error) { if (error instanceof SottoError) error.code; }
     const body = { model: "m", max_tokens: 1, messages: [{ role: "user" as const, content: "hi" }] };
     const turn = await session.turn({ dialect: anthropicMessages, body });
     const reminders: Reminder[] = turn.reminders;
     console.log(reminders.length, turn.body.messages.length);
     await turn.commit();
     const { loaded, problems }: InstructionsReport = await instructionsFor({ cwd: ".", paths: ["a.ts"], config: { memory: { user_settings: false } } });
     const { files } = await mentionsIn({ prompt: "@a.ts", cwd: ".", servers: ["git"] });
     console.log(loaded[0]?.kind === "project", problems.length, files[0]?.lineStart);\n`,
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
