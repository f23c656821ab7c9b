import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openMentionedFiles } from "../../../../../test/support/mentioned-files.ts";
import type { Reader } from "../files/reader.ts";
import { loadDirectory } from "./load.ts";

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const numbered = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `line ${index + from}\n`).join("");

let files: ReturnType<typeof openMentionedFiles>;
beforeEach(() => {
  files = openMentionedFiles();
});
afterEach(() => files.close());

const text = (
  name: string,
  shown: { content: string; numLines: number; startLine?: number; totalLines: number },
) => ({
  type: "text",
  filePath: files.at(name),
  startLine: 1,
  ...shown,
});

describe("a mentioned text", () => {
  it("comes whole, as it stands in the file", async () => {
    files.put("a.ts", "one\r\n\ttwo\nthree");
    symlinkSync("a.ts", files.at("link.ts"));
    expect(await files.load("link.ts")).toEqual({
      kind: "content",
      content: text("link.ts", { content: "one\r\n\ttwo\nthree", numLines: 3, totalLines: 3 }),
      truncated: false,
      realPath: files.at("a.ts"),
      stat: files.stat("a.ts"),
      hash: sha256("one\r\n\ttwo\nthree"),
      whole: true,
      text: "one\r\n\ttwo\nthree",
    });
  });

  it("is known by the hash of its text, whatever its encoding", async () => {
    files.put("bom.txt", "\ufeffgrüße\n");
    files.put("wide.txt", Buffer.from("\ufeffgrüße\n", "utf16le"));
    for (const name of ["bom.txt", "wide.txt"])
      expect(await files.load(name)).toMatchObject({
        content: text(name, { content: "grüße\n", numLines: 1, totalLines: 1 }),
        hash: sha256("grüße\n"),
        whole: true,
      });
  });

  it("can be empty", async () => {
    files.put("empty", "");
    expect(await files.load("empty")).toMatchObject({
      content: text("empty", { content: "", numLines: 0, totalLines: 0 }),
      truncated: false,
      whole: true,
    });
  });

  it("is cut after 3 000 lines", async () => {
    files.put("long", numbered(3000));
    files.put("longer", numbered(3001));
    expect(await files.load("long")).toMatchObject({ truncated: false, whole: true });
    expect(await files.load("longer")).toMatchObject({
      content: text("longer", { content: numbered(3000), numLines: 3000, totalLines: 3001 }),
      truncated: true,
      hash: sha256(numbered(3001)),
      whole: false,
      text: numbered(3001),
    });
  });

  it("is cut after 40 000 characters, in a line where there is only one", async () => {
    files.put("wide", `${"x".repeat(39_999)}\n`);
    files.put("wider", `${"x".repeat(40_000)}\n`);
    expect(await files.load("wide")).toMatchObject({ truncated: false, whole: true });
    expect(await files.load("wider")).toMatchObject({
      content: text("wider", { content: "x".repeat(40_000), numLines: 1, totalLines: 1 }),
      truncated: true,
      whole: false,
    });
  });

  it("is never whole when it is over 2 MB", async () => {
    const line = `${"x".repeat(1023)}\n`;
    files.put("large", line.repeat(2049));
    const loaded = await files.load("large");
    expect(loaded).not.toHaveProperty("text");
    expect(loaded).toMatchObject({
      content: text("large", { content: line.repeat(39), numLines: 39, totalLines: 2048 }),
      truncated: true,
      whole: false,
    });
    const far = { lineStart: 2049, lineEnd: 2050 };
    expect(await files.load("large", { lines: far })).toMatchObject({
      content: text("large", { content: "", numLines: 0, startLine: 2049, totalLines: 2048 }),
      note: "There are no lines 2049-2050 to show. Of this large file the first 2048 lines can be shown.",
    });
    const within = { lineStart: 2, lineEnd: 3 };
    expect(await files.load("large", { lines: within })).toMatchObject({ truncated: false, whole: false });
    const last = { lineStart: 2047, lineEnd: 2048 };
    expect(await files.load("large", { lines: last })).toMatchObject({ truncated: true, whole: false });
  });
});

describe("a mentioned range", () => {
  it("brings its lines, and is never whole", async () => {
    files.put("a", numbered(20));
    const content = text("a", { content: numbered(11, 10), numLines: 11, startLine: 10, totalLines: 20 });
    const expected = {
      kind: "content",
      content,
      truncated: false,
      realPath: files.at("a"),
      stat: files.stat("a"),
      hash: sha256(numbered(20)),
      whole: false,
    };
    expect(await files.load("a", { lines: { lineStart: 10, lineEnd: 20 } })).toEqual(expected);
    expect(await files.load("a", { lines: { lineStart: 10, lineEnd: 5000 } })).toEqual(expected);
    expect(await files.load("a", { lines: { lineStart: 1, lineEnd: 20 } })).toMatchObject({ whole: false });
    expect(await files.load("a", { lines: { lineStart: 20 } })).toMatchObject({
      content: text("a", { content: "line 20\n", numLines: 1, startLine: 20, totalLines: 20 }),
    });
  });

  it("is cut by the same limits", async () => {
    files.put("a", numbered(9000));
    expect(await files.load("a", { lines: { lineStart: 11, lineEnd: 9000 } })).toMatchObject({
      content: text("a", { content: numbered(3000, 11), numLines: 3000, startLine: 11, totalLines: 9000 }),
      truncated: true,
    });
  });

  it("that makes no sense becomes a note in place of the lines", async () => {
    files.put("a", numbered(12));
    const empty = (startLine: number) => ({
      kind: "content",
      content: text("a", { content: "", numLines: 0, startLine, totalLines: 12 }),
      truncated: false,
      whole: false,
    });
    expect(await files.load("a", { lines: { lineStart: 50, lineEnd: 60 } })).toMatchObject({
      ...empty(50),
      note: "There are no lines 50-60 to show. The file has 12 lines.",
    });
    expect(await files.load("a", { lines: { lineStart: 13, lineEnd: 13 } })).toMatchObject({
      ...empty(13),
      note: "There is no line 13 to show. The file has 12 lines.",
    });
    const note = "There is no line 0: lines count from 1.";
    expect(await files.load("a", { lines: { lineStart: 0, lineEnd: 0, note } })).toMatchObject({
      ...empty(1),
      note: "There is no line 0: lines count from 1. The file has 12 lines.",
    });
    files.put("one", "x");
    expect(await files.load("one", { lines: { lineStart: 2 } })).toMatchObject({
      note: "There is no line 2 to show. The file has 1 line.",
    });
  });
});

describe("what is not shown", () => {
  it.each([
    [".env", "SECRET=1", "may contain secrets"],
    ["denied.txt", "x", "may not be read: denied*"],
    ["program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1]), "is a binary file"],
  ])("%s is refused", async (name, content, why) => {
    files.put(name, content);
    expect(await files.load(name)).toEqual({ kind: "refused", why: `${files.at(name)} ${why}` });
  });

  it("special, missing and strange things are refused", async () => {
    execFileSync("mkfifo", [files.at("fifo")]);
    mkdirSync(files.at("directory"));
    const why = async (name: string) => ((await files.load(name)) as { why?: string }).why;
    expect(await why("fifo")).toBe(
      `${files.at("fifo")} is neither a regular file nor a directory but a named pipe`,
    );
    expect(await why("directory")).toBe(`${files.at("directory")} is a directory`);
    expect(await why("nothing")).toBe(`there is nothing at ${files.at("nothing")}`);
    expect(await why("a\0b")).toMatch(/cannot be read: /u);
  });

  it("nothing is read for a turn that is over", async () => {
    files.put("a.ts", "x");
    const why = `${files.at("a.ts")} cannot be read: aborted`;
    expect(await files.load("a.ts", { signal: AbortSignal.abort() })).toEqual({ kind: "refused", why });
  });
});

describe("a mentioned directory", () => {
  const list = (path: string) => loadDirectory(path, { reader: files.reader });

  it("is listed as ls would, denied names left out", async () => {
    for (const name of ["b.ts", "a.ts", ".hidden", "B.md", "denied.txt"]) files.put(name, "");
    mkdirSync(files.at("sub"));
    symlinkSync("sub", files.at("link"));
    expect(await list(files.directory)).toEqual({
      kind: "listing",
      content: ".hidden\nB.md\na.ts\nb.ts\nlink\nsub/\n(1 not shown: it may not be read here)",
    });
    expect(await list(files.at("sub"))).toEqual({ kind: "listing", content: "" });
  });

  it("keeps each name on a line of its own", async () => {
    for (const name of ["a\nb", "c\u2028d", "e\x85", "f\x1b[2J", '"g"']) files.put(name, "");
    mkdirSync(files.at("h\ri"));
    expect(await list(files.directory)).toEqual({
      kind: "listing",
      content: ['"g"', '"a\\nb"', '"c\\u2028d"', '"e\\u0085"', '"f\\u001b[2J"', '"h\\ri/"'].join("\n"),
    });
  });

  it("is cut after 1 000 names, with the number of those left out", async () => {
    for (let index = 0; index < 1203; index++) files.put(`file-${String(index).padStart(4, "0")}`, "");
    const { content } = (await list(files.directory)) as { content: string };
    const lines = content.split("\n");
    expect([lines.length, lines[0], lines[999], lines[1000]]).toEqual([
      1001,
      "file-0000",
      "file-0999",
      "… and 203 more",
    ]);
  });

  it("is cut after 40 000 characters", async () => {
    for (let index = 0; index < 300; index++) files.put(`${index + 100}${"x".repeat(197)}`, "");
    const { content } = (await list(files.directory)) as { content: string };
    const lines = content.split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([200, "… and 101 more"]);
  });

  it("says that there are more where they were not counted", async () => {
    for (const name of ["a", "b", "c"]) files.put(name, "");
    const list: Reader["list"] = (path, options) => files.reader.list(path, { ...options, limit: 2 });
    expect(await loadDirectory(files.directory, { reader: { ...files.reader, list } })).toEqual({
      kind: "listing",
      content: "a\nb\n… and more",
    });
  });

  it("that is none is refused", async () => {
    const path = files.put("a", "");
    mkdirSync(files.at("denied"));
    expect(await list(path)).toEqual({ kind: "refused", why: `${path} is not a directory` });
    expect(await list(files.at("none"))).toEqual({
      kind: "refused",
      why: `there is nothing at ${files.at("none")}`,
    });
    expect(await list(files.at("denied"))).toEqual({
      kind: "refused",
      why: `${files.at("denied")} may not be read: denied*`,
    });
  });
});
