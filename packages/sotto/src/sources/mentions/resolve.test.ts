import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { parseMentions } from "./parse-mentions.ts";
import { type MentionedPlace, type ResolvedMentions, resolveMentions } from "./resolve.ts";

interface Attached {
  files: { path: string; lineStart?: number; lineEnd?: number }[];
  dirs: string[];
  mcp: { server: string; uri: string }[];
  agents: string[];
}

interface Case {
  id: string;
  prompt: string;
  tree: string[];
  servers: Record<string, { connected: boolean }>;
  agents: string[];
  expect: Attached;
  alsoAccept?: Attached[];
  ordered?: boolean;
}

const cases = JSON.parse(
  readFileSync(new URL("../../../../../test/support/cases/mentions.json", import.meta.url), "utf8"),
) as { cases: Case[] };

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "sotto-mentions-"));
});
afterAll(() => rmSync(root, { recursive: true }));

async function place(path: string): Promise<MentionedPlace> {
  try {
    const found = await stat(path);
    return { kind: found.isFile() ? "file" : found.isDirectory() ? "directory" : "special" };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES") return { kind: "denied" };
    return { kind: code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable" };
  }
}

/** A tree of its own under the root: `/w/proj` is the working directory, `~/` is home. */
function world(name: string, tree: readonly string[]) {
  const top = join(root, name);
  const cwd = join(top, "w/proj");
  const home = join(top, "home");
  const real = (path: string) => {
    if (path.startsWith("~/")) return join(home, path.slice(2));
    return path.startsWith("/") ? join(top, path) : join(cwd, path);
  };
  mkdirSync(cwd, { recursive: true });
  mkdirSync(home, { recursive: true });
  for (const entry of tree) {
    const path = real(entry);
    mkdirSync(entry.endsWith("/") ? path : dirname(path), { recursive: true });
    if (!entry.endsWith("/")) writeFileSync(path, `${entry}\n`);
  }
  const ask = async (prompt: string, names: { servers?: string[]; agents?: string[] } = {}) => {
    const here = prompt.replace(/(?<=(?:^|\s)@"?)\/w\b/gu, join(top, "w"));
    const mentions = parseMentions(here, { servers: names.servers ?? [], agents: names.agents ?? [] });
    return resolveMentions(mentions, { cwd, home, stat: place });
  };
  return { top, cwd, home, real, ask };
}

function attached({ files, directories, mcp, agents }: ResolvedMentions) {
  return { files: files.map(({ note, ...file }) => file), dirs: directories, mcp, agents };
}

function sorted(lists: Attached): Attached {
  const order = <Value>(values: readonly Value[]) =>
    [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const { files, dirs, mcp, agents } = lists;
  return { files: order(files), dirs: order(dirs), mcp: order(mcp), agents: order(agents) };
}

describe("the cases of the specification", () => {
  test.each(cases.cases)("$id $topic: $prompt", async (example) => {
    const { ask, real } = world(example.id, example.tree);
    const servers = Object.keys(example.servers).filter((name) => example.servers[name]?.connected);
    const found = attached(await ask(example.prompt, { servers, agents: example.agents }));
    const accepted = [example.expect, ...(example.alsoAccept ?? [])].map((outcome) => ({
      ...outcome,
      files: outcome.files.map((file) => ({ ...file, path: real(file.path) })),
      dirs: outcome.dirs.map(real),
    }));
    const arrange = example.ordered ? (lists: Attached) => lists : sorted;
    expect(accepted.map(arrange)).toContainEqual(arrange(found));
  });
});

describe("further cases", () => {
  const tree = [
    "a.ts",
    "b.ts",
    "my notes.md",
    "foo(1).ts",
    "foo(2)",
    "app/[id]/page.tsx",
    "x#y.ts",
    "C#/main.cs",
    "icon@2x.png",
    "node_modules/@types/node.d.ts",
    "colon:10",
    "end.",
    "README",
    "docs/ü bung/ä.md",
    "what?",
    "c++",
    "empty/",
    "~/notes.md",
    "/w/other/o.ts",
  ];
  const whole = (...paths: string[]) => paths.map((path) => ({ path }));
  test.each<[string, { path: string; lineStart?: number; lineEnd?: number; note?: string }[], string[]?]>([
    ["(see @a.ts)", whole("a.ts")],
    ["@a.ts, @b.ts; done", whole("a.ts", "b.ts")],
    ["is it @a.ts?!", whole("a.ts")],
    ["'in @a.ts'", whole("a.ts")],
    ["“in @a.ts”", whole("a.ts")],
    ["`in @a.ts`", whole("a.ts")],
    ["@a.ts… and @b.ts...", whole("a.ts", "b.ts")],
    ["看 @a.ts，然后", whole("a.ts")],
    ["看 @a.ts。 @b.ts）", whole("a.ts", "b.ts")],
    ["a\u3000@a.ts\u00a0b", whole("a.ts")],
    ["@foo(1).ts and (@a.ts) and (also @b.ts)", whole("foo(1).ts", "b.ts")],
    ["(@foo(2)) (or @foo(2))", whole("foo(2)")],
    ["@app/[id]/page.tsx and @app/[id].", whole("app/[id]/page.tsx"), ["app/[id]"]],
    ["@what? @c++", whole("what?", "c++")],
    ["@end.", whole("end.")],
    ["@my\\ notes.md:1-2", [{ path: "my notes.md", lineStart: 1, lineEnd: 2 }]],
    ['@"my notes.md#L1-2"', [{ path: "my notes.md", lineStart: 1, lineEnd: 2 }]],
    ['@"my notes.md:2"', [{ path: "my notes.md", lineStart: 2, lineEnd: 2 }]],
    ['@"my notes.md":2, ok', [{ path: "my notes.md", lineStart: 2, lineEnd: 2 }]],
    ['@"my\nnotes.md" @"a.ts', []],
    ['@"docs/ü bung/ä.md" @docs/ü\\ bung', whole("docs/ü bung/ä.md"), ["docs/ü bung"]],
    ["@docs/u\u0308\\ bung/a\u0308.md", whole("docs/ü bung/ä.md")],
    ["@a.ts#L3", [{ path: "a.ts", lineStart: 3, lineEnd: 3 }]],
    ["@a.ts#L3-", [{ path: "a.ts", lineStart: 3, lineEnd: 3 }]],
    ["@a.ts:3", [{ path: "a.ts", lineStart: 3, lineEnd: 3 }]],
    ["@a.ts:3-5.", [{ path: "a.ts", lineStart: 3, lineEnd: 5 }]],
    ["@a.ts:3:5", [{ path: "a.ts", lineStart: 3, lineEnd: 3 }]],
    ["@colon:10", whole("colon:10")],
    ["@a.ts#intro @a.ts#", whole("a.ts")],
    ["@a.ts#L3#intro", [{ path: "a.ts", lineStart: 3, lineEnd: 3 }]],
    ["@a.ts#intro#L3", [{ path: "a.ts", lineStart: 3, lineEnd: 3 }]],
    ["@x#y.ts @C#/main.cs:1", [{ path: "x#y.ts" }, { path: "C#/main.cs", lineStart: 1, lineEnd: 1 }]],
    ["@icon@2x.png @node_modules/@types/node.d.ts", whole("icon@2x.png", "node_modules/@types/node.d.ts")],
    ["me@a.ts x@a.ts,@b.ts", []],
    ["@a.ts @./a.ts @empty/../a.ts @a.ts.", whole("a.ts")],
    [
      "@a.ts @a.ts:1 @a.ts#L1 @a.ts:1-1 @a.ts:2",
      [
        { path: "a.ts" },
        { path: "a.ts", lineStart: 1, lineEnd: 1 },
        { path: "a.ts", lineStart: 2, lineEnd: 2 },
      ],
    ],
    [
      "@a.ts:20-10 and @b.ts",
      [
        {
          path: "a.ts",
          lineStart: 20,
          lineEnd: 10,
          note: "Lines 20-10 make no sense: the last line is before the first.",
        },
        { path: "b.ts" },
      ],
    ],
    [
      "@a.ts#L0",
      [{ path: "a.ts", lineStart: 0, lineEnd: 0, note: "There is no line 0: lines count from 1." }],
    ],
    [
      "@a.ts#L99999999999999999999",
      [{ path: "a.ts", lineStart: Number.MAX_SAFE_INTEGER, lineEnd: Number.MAX_SAFE_INTEGER }],
    ],
    ["@a.ts/", []],
    ["@empty @empty/ @empty/. @empty/...", [], ["empty"]],
    ["@empty#L3 @empty:3", [], ["empty"]],
    ["@~/notes.md @~notes.md", whole("~/notes.md")],
    ["@/w/other/o.ts @../other/o.ts", whole("/w/other/o.ts")],
    ["@/ @// @. @.. @~ @... @, @", []],
    ["@README\r\n@a.ts\t@b.ts", whole("README", "a.ts", "b.ts")],
    ["@a.ts\\", []],
  ])("%j", async (prompt, files, directories = []) => {
    const { ask, real } = world("further", tree);
    const found = await ask(prompt);
    expect({ files: found.files, directories: found.directories }).toEqual({
      files: files.map((file) => ({ ...file, path: real(file.path) })),
      directories: directories.map(real),
    });
  });

  test("what is not there is told with its reason, and the rest still works", async () => {
    const { cwd, real } = world("reasons", ["ok.ts", "secret.ts", "dir/"]);
    symlinkSync("/dev/null", real("device"));
    symlinkSync("loop", real("loop"));
    const mentions = parseMentions("@no.ts @device @loop @secret.ts @ok.ts @x\0y @/ @broken", {
      servers: [],
      agents: [],
    });
    const found = await resolveMentions(mentions, {
      cwd,
      home: cwd,
      stat: async (path) => {
        if (path.endsWith("secret.ts")) return { kind: "denied", rule: "Read(secret.ts)" };
        if (path.endsWith("broken")) throw new Error("disk on fire");
        return place(path);
      },
    });
    expect(found.files).toEqual([{ path: real("ok.ts") }]);
    expect(found.unresolved).toEqual([
      { text: "@no.ts", reason: `there is nothing at ${real("no.ts")}` },
      { text: "@device", reason: `${real("device")} is neither a regular file nor a directory` },
      { text: "@loop", reason: `${real("loop")} cannot be read` },
      { text: "@secret.ts", reason: `${real("secret.ts")} may not be read: Read(secret.ts)` },
      { text: "@x\0y", reason: "a path cannot hold a NUL character" },
      { text: "@/", reason: "the root directory is not listed" },
      { text: "@broken", reason: `${real("broken")} cannot be read: disk on fire` },
    ]);
  });

  test("places are looked up one at a time, each once, and not without end", async () => {
    const prompt = Array.from({ length: 50 }, (_, index) => `@f${index % 20} @g${index}`).join(" ");
    const asked: string[] = [];
    let under = 0;
    const found = await resolveMentions(parseMentions(prompt, { servers: [], agents: [] }), {
      cwd: "/w",
      home: "/h",
      most: 30,
      stat: async (path) => {
        expect(++under).toBe(1);
        asked.push(path);
        await Promise.resolve();
        under--;
        return { kind: "file" };
      },
    });
    expect(asked).toHaveLength(30);
    expect(new Set(asked).size).toBe(30);
    expect(found.files).toHaveLength(30);
    expect(found.unresolved).toHaveLength(40);
    expect(found.unresolved[0]?.reason).toMatch(/ cannot be read: more than 30 places are mentioned$/u);
  });

  test("it never throws, and gives only what the file system has", async () => {
    const piece = fc.constantFrom(
      "@",
      "a",
      "b",
      ".",
      "/",
      "~",
      "#L",
      ":",
      "1",
      "-",
      '"',
      " ",
      "\\",
      "\0",
      "）",
      "(",
      ")",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const mentions = parseMentions(pieces.join(""), { servers: ["a"], agents: ["b"] });
        const options = {
          cwd: "/w",
          home: "/h",
          stat: async (path: string): Promise<MentionedPlace> => ({
            kind: path.endsWith("a") ? "file" : path.endsWith("b") ? "directory" : "missing",
          }),
        };
        const found = await resolveMentions(mentions, options);
        expect(await resolveMentions(mentions, options)).toEqual(found);
        for (const { path } of found.files) expect(path).toMatch(/^\/.*a$/u);
        for (const path of found.directories) expect(path).toMatch(/^\/.*b$/u);
        expect(
          found.files.length +
            found.directories.length +
            found.mcp.length +
            found.agents.length +
            found.unresolved.length,
        ).toBeLessThanOrEqual(mentions.length);
      }),
      runs(1000),
    );
  });
});
