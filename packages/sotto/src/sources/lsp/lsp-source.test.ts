// The source against a server that does as a test wants: what is told, what is not, and when.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  fakeServer,
  notesIn,
  openStage,
  type Stage,
  type StageOptions,
} from "../../../../../test/support/language-servers.ts";
import { outcomeOf } from "../../../../../test/support/telling.ts";

const QUICK = { settleMs: 100, quietMs: 10, shutdownMs: 200 };

let stage: Stage | undefined;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-notes-"));
});
afterEach(async () => {
  await stage?.close();
  rmSync(directory, { recursive: true, force: true });
});
const notesPath = () => join(directory, "notes");

function open(mode: string, options: Partial<StageOptions> & { notes?: string } = {}): Stage {
  stage = openStage({
    servers: fakeServer(mode, options.notes),
    files: { "a.fake": "fine\nBAD Old one.\n", "b.fake": "fine\n" },
    timing: QUICK,
    ...options,
  });
  return stage;
}
const heardOf = (one: Stage, name: string) =>
  one.until(async () => (await one.published()).some(({ filePath }) => filePath.endsWith(name)));

describe("what is new", () => {
  it("is what was not there when the file was read", async () => {
    const one = open("good");
    await one.read("a.fake");
    await heardOf(one, "a.fake");
    expect(await one.told()).toEqual([]);
    await one.write("a.fake", "BAD New one.\nBAD Old one.\n");
    expect(await one.untilTold()).toEqual(["1 New one."]);
    expect(await one.told()).toEqual([]);
  });

  it("is told once; fixed it is forgotten, back again it is said again", async () => {
    const one = open("good");
    await one.read("b.fake");
    await one.write("b.fake", "BAD New one.\n");
    expect(await one.untilTold()).toEqual(["1 New one."]);
    await one.write("b.fake", "fine\n");
    await one.until(async () => (await one.published()).at(-1)?.diagnostics.length === 0);
    expect(await one.told()).toEqual([]);
    await one.write("b.fake", "BAD New one.\n");
    expect(await one.untilTold()).toEqual(["1 New one."]);
  });

  it("is known although the agent writes before the server is up: it hears first how things stood", async () => {
    const notes = notesPath();
    const one = open("good", { notes });
    await one.read("a.fake");
    await one.write("a.fake", "BAD Old one.\nBAD New one.\n");
    expect(await one.untilTold()).toEqual(["2 New one."]);
    const said = notesIn(notes).flatMap(({ method, params }) =>
      method?.startsWith("textDocument/did") === true ? [`${method} ${JSON.stringify(textIn(params))}`] : [],
    );
    expect(said).toEqual([
      'textDocument/didOpen "fine\\nBAD Old one.\\n"',
      'textDocument/didChange "BAD Old one.\\nBAD New one.\\n"',
      "textDocument/didSave undefined",
    ]);
  });

  it("is all of a file that the agent wrote without having read it", async () => {
    const one = open("good");
    await one.write("c.fake", "BAD Mine.\n");
    expect(await one.untilTold()).toEqual(["1 Mine."]);
  });

  it("is what a server that first looks at syntax says in the end", async () => {
    const one = open("steps");
    await one.read("a.fake");
    await heardOf(one, "a.fake");
    expect(await one.told()).toEqual([]);
    expect(
      (await one.published()).map(({ baseline, diagnostics }) => [baseline, diagnostics.length]),
    ).toEqual([[true, 1]]);
  });

  it("is asked for where a server wants to be asked", async () => {
    const one = open("pull");
    await one.read("a.fake");
    await one.write("a.fake", "BAD Old one.\nBAD New one.\n");
    expect(await one.untilTold()).toEqual(["2 New one."]);
    await one.write("a.fake", "fine\n");
    await one.until(async () => (await one.published()).at(-1)?.diagnostics.length === 0);
    expect(await one.told()).toEqual([]);
  });

  it("is not what belongs to an older version of the file", async () => {
    const one = open("outdated");
    await one.read("b.fake");
    await one.write("b.fake", "BAD New one.\n");
    expect(await one.untilTold()).toEqual(["1 New one."]);
    expect(JSON.stringify(await one.published())).not.toContain("Outdated.");
  });

  it("can be in another file, as far as that may be shown", async () => {
    const one = open("elsewhere", {
      files: { "a.fake": "fine\n", "other.fake": "x\n", ".env": "KEY=1\n", "denied.fake": "x\n" },
      permissions: { denyRead: ["denied.fake"] },
    });
    await one.read("a.fake");
    await one.write("a.fake", "BREAK\n");
    expect(await one.untilTold()).toEqual(["3 Broken in other.fake."]);
    await one.write("a.fake", "fine\n");
    await one.until(async () => (await one.published()).at(-1)?.diagnostics.length === 0);
    expect(JSON.stringify(await one.published())).not.toMatch(/\.env|denied/u);
  });

  it("is gone with the file", async () => {
    const one = open("good");
    await one.write("c.fake", "BAD Mine.\n");
    await heardOf(one, "c.fake");
    await one.session.record({ type: "file_removed", path: join(one.cwd, "c.fake") });
    await one.until(async () => (await one.published()).at(-1)?.diagnostics.length === 0);
    expect(outcomeOf(await one.turn(), "lsp_diagnostics")).toContain("1 in ");
  });

  it("is told by the next process where the first one ended before it could", async () => {
    const store = createMemoryStore();
    const first = open("good", { store });
    await first.read("a.fake");
    await heardOf(first, "a.fake");
    await first.write("a.fake", "BAD Old one.\nBAD New one.\n");
    await first.session.close();
    const second = openStage({ servers: fakeServer("good"), timing: QUICK, store, cwd: first.cwd });
    expect(await second.untilTold()).toEqual(["2 New one."]);
    await second.close();
  });
});

describe("what a server never sees", () => {
  it("AC-48 denied and secret files are not opened, and secrets of the environment not handed on", async () => {
    const notes = notesPath();
    const one = open("good", {
      notes,
      files: {
        "a.fake": "fine\n",
        "denied.fake": "canary-1\n",
        "id_rsa.fake": "x\n",
        ".env.fake": "canary-2\n",
      },
      permissions: { denyRead: ["denied.fake"] },
      environment: { ...process.env, SOME_API_KEY: "canary-4", GITHUB_TOKEN: "canary-5", LANG: "C" },
    });
    for (const name of ["denied.fake", ".env.fake", "a.fake"]) await one.read(name);
    await one.write("denied.fake", "canary-3\n");
    await one.until(() => notesIn(notes).some(({ method }) => method === "textDocument/didOpen"));
    const opened = notesIn(notes).flatMap(({ method, params }) =>
      method === "textDocument/didOpen"
        ? [(params as { textDocument: { uri: string } }).textDocument.uri]
        : [],
    );
    expect(opened.map((uri) => uri.replace(/.*\//u, ""))).toEqual(["a.fake"]);
    expect(JSON.stringify(notesIn(notes))).not.toContain("canary");
  });
});

describe("what a server may ask", () => {
  it("is answered, and changes nothing", async () => {
    const notes = notesPath();
    const servers = fakeServer("asks", notes) as Record<string, object>;
    Object.assign(servers.fake as object, { settings: { fake: { deep: { value: 1 } } } });
    const one = open("asks", { servers: servers as never });
    await one.read("a.fake");
    await one.until(
      () => notesIn(notes).filter(({ id, method }) => Number(id) >= 100 && !method).length === 7,
    );
    const answers = notesIn(notes)
      .filter(({ id, method }) => Number(id) >= 100 && method === undefined)
      .map(({ result, error }) => result ?? error?.code ?? null);
    expect(answers).toEqual([
      [{ value: 1 }, null, { fake: { deep: { value: 1 } } }],
      null,
      null,
      { applied: false, failureReason: "this client only listens" },
      null,
      [{ uri: `file://${one.cwd}`, name: one.cwd.split("/").at(-1) }],
      -32601,
    ]);
  });
});

describe("while it is off", () => {
  it.each([
    ["language_servers", { language_servers: false }],
    ["lsp_diagnostics", { attachments: { lsp_diagnostics: false } }],
    ["diagnostics", { attachments: { diagnostics: false } }],
  ])("AC-16 nothing is started: %s", async (_name, config) => {
    const one = open("good", { config });
    await one.write("c.fake", "BAD Mine.\n");
    expect(await one.told()).toEqual([]);
    expect(await one.source.state()).toEqual([]);
  });
});

function textIn(params: unknown): string | undefined {
  const { textDocument, contentChanges } = params as {
    textDocument: { text?: string };
    contentChanges?: { text: string }[];
  };
  return textDocument.text ?? contentChanges?.[0]?.text;
}
