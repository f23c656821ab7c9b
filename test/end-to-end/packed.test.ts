// The library as it is installed. Its types are in packed-types.test.ts.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { built } from "../../packages/cli/test/built.ts";

const run = promisify(execFile);
// As seen on the machines of the project: bare Node starts with 27 ms of work, and ours may add 15 to it.
const BARE_START_MS = 27;
const MOST_ADDED_MS = 15;

describe("sotto, packed and installed in an empty directory", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sotto-packed-"));
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", directory], { cwd: built().library });
    const [tarball] = (await readdir(directory)).filter((name) => name.endsWith(".tgz"));
    await writeFile(join(directory, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], { cwd: directory });
  });
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

  it("its other doors know the sessions of the first", async () => {
    const { stdout } = await node(`
      import { createSession } from "sotto";
      import { endCalls, recordAny, recordOnce, setWriting } from "sotto/internal";
      const session = createSession({ cwd: ".", agent: { kind: "main" } });
      const event = { type: "prompt_queued", id: "q", prompt: "Go on." };
      const once = [await recordOnce(session, event, "n"), await recordOnce(session, event, "n")];
      await recordAny(session, { type: "assistant_turn" });
      await setWriting(session, { id: "c", paths: ["a.ts"] });
      await endCalls(session);
      console.log(JSON.stringify(once));
    `);
    expect(JSON.parse(stdout)).toEqual([true, false]);
  });

  it("brings no dependency, and its import pulls in no optional part", async () => {
    const installed = JSON.parse(await readFile(join(directory, "node_modules/sotto/package.json"), "utf8"));
    expect(installed.dependencies ?? {}).toEqual({});
    const { stdout } = await node(`
      const before = new Set(process.moduleLoadList);
      await import("sotto");
      console.log(process.moduleLoadList.filter((name) => !before.has(name)).join());
    `);
    expect(stdout).not.toMatch(/sqlite|worker_threads|child_process|crypto|http|stream/u);
  });

  it("loads the engine with the first session, not with the import", async () => {
    const { stdout } = await node(`
      import { readFileSync } from "node:fs";
      const door = import.meta.resolve("sotto");
      const statically = (url, seen = new Map()) => {
        if (seen.has(url)) return seen;
        const text = readFileSync(new URL(url), "utf8");
        seen.set(url, text.length);
        for (const [, path] of text.matchAll(/\\bfrom *"(\\.[^"]+)"/gu))
          statically(new URL(path, url).href, seen);
        return seen;
      };
      const files = [...statically(door)];
      const all = [...statically(new URL("turn.js", door).href)];
      const size = (list) => list.reduce((sum, [, length]) => sum + length, 0);
      console.log(JSON.stringify({ files: files.length, share: size(files) / size(all) }));
    `);
    const { files, share } = JSON.parse(stdout);
    expect(files).toBeLessThanOrEqual(3);
    expect(share).toBeLessThan(0.3);
  });

  it("a first turn opens few files", async () => {
    const { stdout } = await node(`
      import { registerHooks } from "node:module";
      const opened = [];
      registerHooks({ load: (url, context, next) => (opened.push(url), next(url, context)) });
      const { anthropicMessages, createSession } = await import("sotto");
      const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
      await createSession({ cwd: "." }).turn({ dialect: anthropicMessages, body });
      console.log(opened.filter((url) => url.startsWith("file:")).length);
    `);
    expect(Number(stdout)).toBeLessThanOrEqual(8);
  });

  it("exports the same names to Node and to bundlers", async () => {
    const { stdout } = await node(`
      const names = async (file) => Object.keys(await import(new URL(file, import.meta.resolve("sotto")))).sort();
      console.log(JSON.stringify([await names("index-node.js"), await names("index.js")]));
    `);
    const [inNode, bundled] = JSON.parse(stdout);
    expect(inNode).toContain("createSession");
    expect(inNode).toEqual(bundled);
  });

  it("works in a bundle that was moved away from the package", async () => {
    const entry = join(directory, "bundled.js");
    await writeFile(
      entry,
      `import { createSession, SottoError } from "sotto";
       const session = createSession({ cwd: ".", config: { critical_instruction: "Be kind." } });
       const { reminders } = await session.turn();
       let refused = false;
       try { createSession({}); } catch (error) { refused = error instanceof SottoError; }
       console.log(reminders[0].text.includes("Be kind."), refused);\n`,
    );
    const bundle = await rolldown({ input: entry, platform: "node", cwd: directory, onLog: () => undefined });
    const elsewhere = await mkdtemp(join(tmpdir(), "sotto-bundled-"));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    await bundle.write({ dir: elsewhere, entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
    const { stdout } = await run(process.execPath, ["bundled.mjs"], { cwd: elsewhere });
    expect(stdout).toBe("true true\n");
  });

  it("has a door for each provider's SDK, none of which has to be installed", async () => {
    const { stdout } = await node(`
      import { createSession } from "sotto";
      const config = { critical_instruction: "Be kind." };
      const session = createSession({ cwd: ".", agent: { kind: "main" }, config });
      const messages = [{ role: "user", content: "hi" }];
      const contents = [{ role: "user", parts: [{ text: "hi" }] }];
      const sent = [];
      const fetch = async (url, { body }) => (sent.push(body.includes("Be kind.")), new Response("{}"));
      const ask = (body) => ({ method: "POST", body: JSON.stringify(body) });
      const anthropic = (await import("sotto/anthropic")).reminders(session);
      const request = { url: "http://x/v1/messages", headers: new Headers(), ...ask({ messages }) };
      await anthropic(request, (given) => fetch(given.url, given));
      const openai = (await import("sotto/openai")).reminders(session, { fetch });
      await openai("http://x/v1/chat/completions", ask({ messages }));
      const google = (await import("sotto/google-genai")).reminders(session, { fetch });
      await google("http://x/v1/models/m:generateContent", ask({ contents }));
      console.log(JSON.stringify(sent));
    `);
    expect(JSON.parse(stdout)).toEqual([true, true, true]);
  });

  it("reports no turn where OpenTelemetry is not installed, whatever is registered", async () => {
    const { stdout, stderr } = await node(`
      import { createSession } from "sotto";
      globalThis[Symbol.for("opentelemetry.js.api.1")] = { version: "1.9.1" };
      const config = { telemetry_sample: 1, critical_instruction: "Be kind." };
      const session = createSession({ cwd: ".", agent: { kind: "main" }, config });
      for (let turn = 0; turn < 3; turn++) await (await session.turn()).commit();
      console.log((await session.turn()).reminders.length);
    `);
    expect({ stdout, stderr }).toEqual({ stdout: "1\n", stderr: "" });
  });

  it("reads rules that need a whole YAML parser, and heeds what may not be read", async () => {
    const project = join(await realpath(directory), "project");
    const rules = join(project, ".claude/rules");
    await mkdir(rules, { recursive: true });
    const frontmatter = "---\nowner: &who core\nasks: *who\npaths: !!seq\n  - 'src/**'\n---\n";
    await writeFile(join(rules, "anchor.md"), `${frontmatter}A rule.\n`);
    await writeFile(join(rules, "denied.md"), "---\npaths: 'src/**'\n---\nAnother.\n");
    await writeFile(
      join(directory, "ask.js"),
      `import { instructionsFor } from "sotto/inspect";
       const permissions = { denyRead: ["denied.*"] };
       console.log(JSON.stringify(await instructionsFor({ cwd: "project", home: "home", paths: ["src/a.ts"], permissions })));\n`,
    );
    const { stdout } = await run(process.execPath, ["ask.js"], { cwd: directory });
    const cause = join(project, "src/a.ts");
    expect(JSON.parse(stdout)).toEqual({
      start: [],
      loaded: [
        { path: join(rules, "anchor.md"), kind: "project", reason: "src/a.ts matches src/**", for: cause },
      ],
      skipped: [],
      problems: [],
    });
  });

  it("AC-18 reads config files with the parser it brings, and has a schema for editors", async () => {
    const project = join(await realpath(directory), "configured");
    await mkdir(project, { recursive: true });
    const ask = `
      import { createSession } from "sotto";
      const session = createSession({ cwd: "${project}", home: "${project}/home", agent: { kind: "main" } });
      const { reminders, problems } = await session.turn();
      console.log(JSON.stringify({ texts: reminders.map(({ text }) => text), problems }));
    `;
    expect(JSON.parse((await node(ask)).stdout)).toEqual({ texts: [], problems: [] });
    const path = join(project, "sotto.toml");
    await writeFile(path, '[system_reminder]\ncritical_instruction = "Be kind."\n');
    expect(JSON.parse((await node(ask)).stdout)).toEqual({
      texts: [`<system-reminder>\n${path}, a file of this project, says:\n\n> Be kind.\n</system-reminder>`],
      problems: [],
    });
    await writeFile(path, "[system_reminder]\ntimeout = 5\n");
    expect(JSON.parse((await node(ask)).stdout)).toMatchObject({ problems: [{ where: path, line: 2 }] });
    const schema = await readFile(join(directory, "node_modules/sotto/config.schema.json"), "utf8");
    expect(JSON.parse(schema).properties.system_reminder.properties.timeout_ms.default).toBe(1000);
  });

  it("takes little more than Node's own start to import", async () => {
    // Work, not time: others may be busy on this machine.
    const least = async (code: string) => {
      const tell = "const { user, system } = process.cpuUsage(); console.log(user + system);";
      const costs: number[] = [];
      for (let round = 0; round < 9; round++)
        costs.push(Number((await node(`${code}; ${tell}`)).stdout) / 1000);
      return Math.min(...costs);
    };
    const bare = await least("");
    const added = (await least('await import("sotto")')) - bare;
    const calibration = Math.max(1, bare / BARE_START_MS);
    // Wide: it is to catch a heavy package that slipped in; the bench has the figure.
    expect(added).toBeLessThan(MOST_ADDED_MS * calibration * 2.5);
  });
});
