import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPermissions } from "./permissions.ts";
import { createReader, type Reader } from "./reader.ts";

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let directory: string;
let reader: Reader;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-reader-")));
  reader = createReader({ permissions: createPermissions({ cwd: directory, home: "/home/someone" }) });
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);
const put = (name: string, content: string | Uint8Array) => {
  writeFileSync(at(name), content);
  return at(name);
};
const stat = (name: string) => {
  const { size, mtimeMs, ctimeMs, ino, dev } = statSync(at(name));
  return { size, mtimeMs, ctimeMs, ino, dev };
};

describe("reading", () => {
  it("gives text with its real path, its state and its hash", async () => {
    put("a.ts", "const a = 1;\n");
    symlinkSync("a.ts", at("b.ts"));
    const expected = {
      kind: "text",
      text: "const a = 1;\n",
      realPath: at("a.ts"),
      stat: stat("a.ts"),
      encoding: "utf-8",
      bom: false,
      truncated: false,
      hash: sha256("const a = 1;\n"),
    };
    expect(await reader.read(at("a.ts"))).toEqual(expected);
    expect(await reader.read("b.ts")).toEqual(expected);
    expect(await reader.read("x/../b.ts")).toEqual(expected);
  });

  it.each([0, 1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 300_000, 2_097_152])(
    "gives all of a file of %d bytes",
    async (size) => {
      const text = "0123456789abcde\n".repeat(Math.ceil(size / 16)).slice(0, size);
      put("file", text);
      const outcome = await reader.read("file");
      expect(outcome).toMatchObject({ kind: "text", truncated: false, hash: sha256(text) });
      expect(outcome.kind === "text" && outcome.text === text).toBe(true);
    },
  );

  it("gives the beginning of a file that is longer than allowed; a change behind it changes the hash", async () => {
    put("long", "abcdefgh");
    const read = () => reader.read("long", { maxBytes: 5 });
    const first = await read();
    expect(first).toMatchObject({ kind: "text", text: "abcde", truncated: true });
    expect(await read()).toEqual(first);
    put("long", "abcdefghi");
    const second = await read();
    expect(second).toMatchObject({ kind: "text", text: "abcde", truncated: true });
    expect("hash" in first && "hash" in second && first.hash !== second.hash).toBe(true);
    expect(await reader.read("long", { maxBytes: 9 })).toMatchObject({ text: "abcdefghi", truncated: false });
  });

  it("tells directories, missing files and dangling links apart", async () => {
    mkdirSync(at("sub"));
    put("file", "");
    symlinkSync("nowhere", at("dangling"));
    expect(await reader.read("sub")).toEqual({ kind: "directory", realPath: at("sub") });
    expect(await reader.read("none")).toEqual({ kind: "missing" });
    expect(await reader.read("file/below")).toEqual({ kind: "missing" });
    expect(await reader.read("dangling")).toEqual({ kind: "missing" });
  });

  it("keeps to a directory where it must, by real paths", async () => {
    mkdirSync(at("project"));
    mkdirSync(at("project-2"));
    put("outside", "out");
    put("project/inside", "in");
    put("project-2/beside", "beside");
    symlinkSync("../outside", at("project/link"));
    symlinkSync("project", at("alias"));
    const within = at("project");
    expect(await reader.read("project/inside", { within })).toMatchObject({ text: "in" });
    expect(await reader.read("project/inside", { within: at("alias") })).toMatchObject({ text: "in" });
    expect(await reader.read("alias/inside", { within })).toMatchObject({ text: "in" });
    const outside = { kind: "denied", rule: `outside ${within}` };
    expect(await reader.read("project/link", { within })).toEqual(outside);
    expect(await reader.read("project-2/beside", { within })).toEqual(outside);
    expect(await reader.list(directory, { within })).toEqual(outside);
    expect(await reader.read("outside", { within: at("none") })).toMatchObject({ kind: "denied" });
  });

  it("is held to directories, by their real paths; a caller may vouch for another one", async () => {
    for (const name of ["project", "outside"]) mkdirSync(at(name));
    put("project/inside", "in");
    put("outside/file", "out");
    symlinkSync("../outside/file", at("project/link"));
    symlinkSync("../outside", at("project/linked"));
    symlinkSync("../nowhere", at("project/dangling"));
    symlinkSync("project", at("alias"));
    const held = createReader({
      permissions: createPermissions({ cwd: directory, home: directory, within: ["alias"] }),
    });
    for (const name of ["project/inside", "alias/inside", "project/../project/inside"]) {
      expect(await held.read(name)).toMatchObject({ text: "in" });
      expect(await held.stat(name)).toMatchObject({ kind: "file" });
      expect(await held.realPath(name)).toEqual({ kind: "path", realPath: at("project/inside") });
      expect(await held.access(name)).toEqual({ kind: "allowed" });
    }
    expect(await held.access("project/not-yet")).toEqual({ kind: "allowed" });
    const outside = { kind: "denied", rule: "it is outside the directories that this session may read" };
    for (const name of ["outside/file", "outside/none", "project/link", "alias/link", "project/linked/file"])
      for (const ask of [held.read, held.list, held.stat, held.realPath, held.access])
        expect([name, ask.name, await ask(name)]).toEqual([name, ask.name, outside]);
    for (const name of [".", "outside", "project/linked"]) expect(await held.list(name)).toEqual(outside);
    expect(await held.read("outside/file", { anywhere: true })).toEqual(outside);
    expect(await held.read("outside/file", { within: at("outside") })).toMatchObject({ text: "out" });
    expect(await held.list("outside", { within: at("outside") })).toMatchObject({
      entries: [{ name: "file" }],
    });
  });

  it("says so when nobody waits any more", async () => {
    put("a", "a");
    const signal = AbortSignal.abort();
    expect(await reader.read("a", { signal })).toEqual({ kind: "unreadable", why: "aborted" });
    expect(await reader.stat("a", { signal })).toEqual({ kind: "unreadable", why: "aborted" });
  });

  it("reads nothing when the permissions cannot be had", async () => {
    put("a", "a");
    const closed = createReader({ permissions: Promise.reject(new Error("no rules")) });
    expect(await closed.read(at("a"))).toEqual({ kind: "unreadable", why: "Error: no rules" });
  });
});

describe("encodings", () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
  it.each<[string, Uint8Array, object]>([
    ["UTF-8", Buffer.from("é😀"), { text: "é😀", encoding: "utf-8", bom: false }],
    ["UTF-8 with BOM", Buffer.from("\ufeffé"), { text: "é", encoding: "utf-8", bom: true }],
    ["UTF-16LE", utf16("é😀\n"), { text: "é😀\n", encoding: "utf-16le", bom: true }],
    ["UTF-16BE", utf16("é😀\n").swap16(), { text: "é😀\n", encoding: "utf-16be", bom: true }],
    ["UTF-16LE, odd", Buffer.concat([utf16("ab"), Buffer.from([65])]), { text: "ab", encoding: "utf-16le" }],
    ["Latin-1", Buffer.from("caf\xe9 au lait", "latin1"), { text: "caf\ufffd au lait", encoding: "unknown" }],
    ["terminal output", Buffer.from("\x1b[31mred\x1b[0m\b\n"), { text: "\x1b[31mred\x1b[0m\b\n" }],
    ["an empty file", Buffer.alloc(0), { text: "", encoding: "utf-8", bom: false }],
  ])("%s is text", async (_, bytes, expected) => {
    put("file", bytes);
    expect(await reader.read("file")).toMatchObject({ kind: "text", ...expected, hash: sha256(bytes) });
  });

  it.each<[string, Uint8Array]>([
    ["a NUL in the first 8 KB", Buffer.from(`${"x".repeat(8000)}\0`)],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0])],
    ["UTF-16 with NULs", Buffer.from("\ufeffab\0c", "utf16le")],
    [
      "mostly no UTF-8",
      Buffer.from("\u041f\u0440\u0438\u0432\u0435\u0442", "utf16le").map((byte) => byte | 0x80),
    ],
    ["mostly control characters", Buffer.from("\x01\x02\x03\x04ab")],
  ])("%s is binary", async (_, bytes) => {
    put("file", bytes);
    expect(await reader.read("file", { raw: true })).toEqual({
      kind: "binary",
      realPath: at("file"),
      stat: stat("file"),
      hash: sha256(bytes),
    });
  });

  it("does not break the last character of a cut text", async () => {
    put("8", "ab😀");
    put("16", Buffer.from("\ufeffa😀b", "utf16le"));
    for (const maxBytes of [3, 4, 5])
      expect(await reader.read("8", { maxBytes })).toMatchObject({ text: "ab" });
    for (const maxBytes of [5, 6, 7])
      expect(await reader.read("16", { maxBytes })).toMatchObject({ text: "a" });
    expect(await reader.read("16", { maxBytes: 8 })).toMatchObject({ text: "a😀", encoding: "utf-16le" });
  });

  it.each<[string, string]>([
    ["image/png", "\x89PNG\r\n\x1a\n\0"],
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a"],
    ["image/webp", "RIFF\n\0\0\0WEBPVP8 "],
    ["application/pdf", "%PDF-1.7\n"],
  ])("%s is known by its first bytes, and comes with them where asked for", async (mediaType, text) => {
    const bytes = Buffer.from(text, "latin1");
    put("file.txt", bytes);
    const expected = {
      kind: "binary",
      mediaType,
      realPath: at("file.txt"),
      stat: stat("file.txt"),
      hash: sha256(bytes),
    };
    expect(await reader.read("file.txt")).toEqual(expected);
    expect(await reader.read("file.txt", { raw: true })).toEqual({
      ...expected,
      bytes: new Uint8Array(bytes),
    });
    const strict = createReader({
      permissions: createPermissions({ cwd: directory, home: "/" }),
      limits: { rawBytes: bytes.length - 1 },
    });
    expect(await strict.read("file.txt", { raw: true })).toEqual(expected);
  });
});

describe("listing and looking", () => {
  it("lists names with their kinds, sorted, no more than wanted", async () => {
    mkdirSync(at("d"));
    for (const name of ["b", "a", "C"]) put(name, "");
    symlinkSync("a", at("l"));
    const entries = [
      { name: "C", kind: "file" },
      { name: "a", kind: "file" },
      { name: "b", kind: "file" },
      { name: "d", kind: "directory" },
      { name: "l", kind: "link" },
    ];
    const whole = { kind: "directory", realPath: directory, entries, hidden: 0, truncated: false };
    expect(await reader.list(".")).toEqual(whole);
    expect(await reader.list(directory, { limit: 5 })).toEqual(whole);
    expect(await reader.list(".", { limit: 2 })).toEqual({
      ...whole,
      entries: entries.slice(0, 2),
      truncated: true,
    });
    expect(await reader.list("a")).toEqual({ kind: "file", realPath: at("a") });
    expect(await reader.list("none")).toEqual({ kind: "missing" });
  });

  it("looks at a file without opening it, and resolves links", async () => {
    put("a", "abc");
    symlinkSync("a", at("l"));
    expect(await reader.stat("l")).toEqual({ kind: "file", stat: stat("a") });
    expect(await reader.stat(".")).toMatchObject({ kind: "directory" });
    expect(await reader.stat("none")).toEqual({ kind: "missing" });
    expect(await reader.realPath("l")).toEqual({ kind: "path", realPath: at("a") });
    expect(await reader.realPath("none")).toEqual({ kind: "missing" });
  });
});
