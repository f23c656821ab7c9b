// An editor that tells what the user looks at: from its companion to the request.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { createMemoryStore, createSession, type Session, type SessionOptions } from "sotto";
import { createIdeSource, type IdeOptions } from "sotto/ide";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../support/mcp-world.ts";
import {
  type IdeCompanion,
  type IdeCompanionOptions,
  startCompanion,
} from "../support/servers/ide-companion.ts";
import { answered, outcomeOf, textOf } from "../support/telling.ts";

let cwd: string;
let directory: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "sotto-ide-")));
  cwd = join(root, "project");
  directory = join(root, "gemini/ide");
  await mkdir(join(cwd, "private"), { recursive: true });
  await writeFile(join(cwd, "a.ts"), "one\ntwo\nthree\n");
  await writeFile(join(cwd, ".env"), "TOKEN=canary-env\n");
  await writeFile(join(cwd, "private/notes.md"), "canary-private\n");
  closing.push(() => rm(root, { recursive: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function companion(options: Partial<IdeCompanionOptions> = {}): Promise<IdeCompanion> {
  const one = await startCompanion({ directory, workspacePath: cwd, ...options });
  closing.push(() => one.leave());
  return one;
}

function open(options: Partial<SessionOptions> = {}, ideOptions: IdeOptions = {}) {
  const permissions = { denyRead: ["private/"] };
  const source = createIdeSource({ directory, environment: {}, permissions, ...ideOptions });
  const store = createMemoryStore();
  const session = createSession({
    id: "one",
    cwd,
    agent: { kind: "main" },
    store,
    permissions,
    sources: [source],
    ...options,
    config: { timeout_ms: 20_000, ...options.config },
  });
  closing.push(() => session.close());
  return { source, session, store };
}

async function connected(...given: Parameters<typeof open>) {
  const world = open(...given);
  await world.session.open();
  await until(() => world.source.state().status === "connected");
  return world;
}

/** A turn behind all that was said before: the editor's words are on their way. */
async function heard(session: Session, isSo: (outcome: string) => boolean, type: string): Promise<void> {
  await until(async () => {
    const turn = await session.turn();
    await turn.abandon();
    return isSo(outcomeOf(turn, type));
  });
}

const active = (path: string, more = {}) => ({
  openFiles: [{ path, timestamp: 1, isActive: true, ...more }],
});

it("AC-44 opened_file_in_ide and selected_lines_in_ide: what the user opens and selects is told", async () => {
  const editor = await companion();
  const { session, source } = await connected();
  expect(source.state()).toEqual({ status: "connected", ideName: "Test Editor" });
  await editor.say(active(join(cwd, "a.ts"), { cursor: { line: 1, character: 1 } }));
  await heard(session, (outcome) => outcome.startsWith("sent"), "opened_file_in_ide");
  expect(textOf(await answered(session), "opened_file_in_ide")).toContain(join(cwd, "a.ts"));
  await editor.say(
    active(join(cwd, "a.ts"), { cursor: { line: 3, character: 1 }, selectedText: "one\ntwo\n" }),
  );
  await heard(session, (outcome) => outcome.startsWith("sent"), "selected_lines_in_ide");
  expect(textOf(await answered(session), "selected_lines_in_ide")).toContain(
    `The user selected the lines 1 to 2 from ${join(cwd, "a.ts")}:\n\none\ntwo\n`,
  );
  await editor.say({ openFiles: [] });
  await heard(session, (outcome) => outcome === "nothing: no file is open in the IDE", "opened_file_in_ide");
  await editor.leave();
  await until(() => source.state().status === "searching");
});

it("what was open counts no longer when the editor goes, and again when it comes back", async () => {
  const editor = await companion();
  // Looks again at once, so that the test need not wait.
  const clock = {
    now: () => performance.now(),
    random: () => 1,
    delay: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 20);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
  const { session, source } = await connected({}, { clock });
  await editor.say(active(join(cwd, "a.ts")));
  await heard(session, (outcome) => outcome.startsWith("sent"), "opened_file_in_ide");
  await editor.leave();
  await heard(
    session,
    (outcome) => outcome.startsWith("nothing: no file is open in the IDE: "),
    "opened_file_in_ide",
  );
  const next = await companion({ displayName: "Another" });
  await next.say(active(join(cwd, "a.ts")));
  await until(() => source.state().ideName === "Another" && source.state().status === "connected");
  await heard(session, (outcome) => outcome.startsWith("sent"), "opened_file_in_ide");
});

it.each([
  [".env", "may contain secrets"],
  ["private/notes.md", "may not be read: private/"],
  ["link.txt", "may contain secrets"],
])("AC-48 of %s, which may not be shown, no line is even in the log", async (name, why) => {
  await symlink(".env", join(cwd, "link.txt"));
  const editor = await companion();
  const { session, store, source } = await connected();
  await editor.say(
    active(join(cwd, name), { cursor: { line: 1, character: 5 }, selectedText: "canary-selection" }),
  );
  await heard(session, (outcome) => outcome.endsWith(why), "opened_file_in_ide");
  const turn = await answered(session);
  const all = JSON.stringify([turn, await store.read("one", 0), source.state()]);
  expect(all).not.toContain("canary");
  expect(all).not.toContain(editor.token);
});

it("AC-48 the token goes to the companion, and nowhere else", async () => {
  const editor = await companion();
  const { session, store, source } = await connected();
  expect(editor.requests[0]).toMatchObject({ authorization: `Bearer ${editor.token}` });
  const all = JSON.stringify([await answered(session), await store.read("one", 0), source.state()]);
  expect(all).not.toContain(editor.token);
});

it("a workspace that is not trusted tells nothing, and the trace says why", async () => {
  const editor = await companion();
  const { session, store } = await connected();
  await editor.say({ ...active(join(cwd, "a.ts"), { selectedText: "one" }), isTrusted: false });
  await heard(
    session,
    (outcome) =>
      outcome === "nothing: no file is open in the IDE: the workspace is not trusted in the editor",
    "opened_file_in_ide",
  );
  expect(JSON.stringify(await store.read("one", 0))).not.toContain("a.ts");
});

it("lines that cannot be known are not made up", async () => {
  const editor = await companion();
  const { session } = await connected();
  const path = join(cwd, "a.ts");
  await editor.say(active(path, { cursor: { line: 3, character: 5 }, selectedText: "not\nsave" }));
  const why = `nothing: nothing is selected in the IDE: which lines of ${path} are selected is unknown: the file has unsaved changes`;
  await heard(session, (outcome) => outcome === why, "selected_lines_in_ide");
  expect(textOf(await answered(session), "opened_file_in_ide")).toContain(path);
});

it("nonsense counts as nothing, and the next words are heard", async () => {
  const editor = await companion();
  const { session } = await connected();
  for (const openFiles of [
    7,
    [null],
    [{ path: 7, isActive: true }],
    [{ path: "relative.ts", isActive: true }],
  ])
    await editor.say({ openFiles });
  await editor.say(active(join(cwd, "a.ts"), { cursor: { line: -1, character: "x" } }));
  await editor.say(active(join(cwd, "a.ts")));
  await heard(session, (outcome) => outcome.startsWith("sent"), "opened_file_in_ide");
});

it("only the editor that has the directory open, and lives, is listened to; the port breaks ties", async () => {
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  await companion({ displayName: "Dead", pid: gone.pid as number });
  await companion({ displayName: "Elsewhere", workspacePath: join(cwd, "private") });
  await companion({ displayName: "Above", workspacePath: `/nowhere${delimiter}${join(cwd, "..")}` });
  await companion({ displayName: "Here" });
  const third = await companion({ displayName: "By its port" });
  const hole = join(directory, "gemini-ide-server-1-1.json");
  await writeFile(hole, "{ broken");
  await chmod(hole, 0o600);
  const environment = { GEMINI_CLI_IDE_SERVER_PORT: String(third.port) };
  const { source } = await connected({}, { environment });
  expect(source.state().ideName).toBe("By its port");
  await third.leave();
  const other = await connected({ id: "two" });
  expect(other.source.state().ideName).toBe("Here");
});

it("without an editor a turn costs nothing and says why", async () => {
  const { session, source } = open();
  await session.open();
  await until(() => source.state().problem !== undefined);
  const turn = await answered(session);
  expect(outcomeOf(turn, "opened_file_in_ide")).toBe(
    `nothing: no file is open in the IDE: no editor with a companion has ${cwd} open`,
  );
});

it("what an editor said to an earlier process is forgotten where none says it now", async () => {
  const store = createMemoryStore();
  const before = createSession({ id: "one", cwd, agent: { kind: "main" }, store });
  await before.record({ type: "ide_changed", ideName: "Test Editor", openFile: join(cwd, "a.ts") });
  await before.close();
  const { session, source } = open({ store });
  await session.open();
  await until(() => source.state().problem !== undefined);
  expect(textOf(await session.turn(), "opened_file_in_ide")).toBeUndefined();
});

it("AC-16 with both types off nobody even looks for an editor", async () => {
  const editor = await companion();
  const { session, source } = open({
    config: { attachments: { ide_selection: false, ide_opened_file: false } },
  });
  await answered(session);
  expect(source.state()).toEqual({ status: "searching" });
  expect(editor.requests).toEqual([]);
});
