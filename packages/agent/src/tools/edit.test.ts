import { chmodSync, statSync } from "node:fs";
import { createSession } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
});
afterEach(() => bench.close());

const edit = (old_string: string, new_string: string, rest: object = {}) =>
  bench.call("Edit", { file_path: "a.txt", old_string, new_string, ...rest });

async function known(content: string | Uint8Array) {
  const path = bench.file("a.txt", content);
  await bench.call("Read", { file_path: "a.txt" });
  return path;
}

it("replaces the only place, shows it, and records the whole file", async () => {
  const path = await known("one\ntwo\nthree\n");
  chmodSync(path, 0o755);
  expect(await edit("two", "2\n2½")).toEqual({
    text: "Edited a.txt, line 2.\n     1\tone\n     2\t2\n     3\t2½\n     4\tthree",
    summary: "line 2",
    paths: [path],
  });
  expect(bench.text("a.txt")).toBe("one\n2\n2½\nthree\n");
  expect(bench.events("file_written")).toEqual([
    { type: "file_written", path, content: "one\n2\n2½\nthree\n" },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o755);
});

it("patterns of replacement mean nothing", async () => {
  await known("price");
  await edit("price", "$& $1 $$");
  expect(bench.text("a.txt")).toBe("$& $1 $$");
});

describe("refuses", () => {
  const refusals: [string, string, string, RegExp][] = [
    ["what is not there", "seven", "8", /was not found in .*a\.txt: Read the file again\.$/u],
    ["line numbers", "     2\ttwo", "8", /leave out its line numbers/u],
    [
      "what stands there more than once",
      "o",
      "0",
      /occurs 2 times.*include more context, or set replace_all/u,
    ],
    ["a change that changes nothing", "one", "one", /are the same/u],
    ["an empty old_string", "", "one", /is empty: use Write/u],
  ];
  it.each(refusals)("%s", async (_title, old, fresh, words) => {
    await known("one\ntwo\n");
    expect(await edit(old, fresh)).toMatchObject({ isError: true, text: expect.stringMatching(words) });
    expect(bench.text("a.txt")).toBe("one\ntwo\n");
  });

  it("a file that was not read", async () => {
    const path = bench.file("a.txt", "one");
    expect(await edit("one", "two")).toEqual({
      text: `${path} has not been read in this session: Read it before you change it.`,
      isError: true,
    });
  });

  it("a file that another session read", async () => {
    await known("one");
    const session = createSession({ cwd: bench.cwd, home: bench.directory, agent: { kind: "main" } });
    const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
    expect((await bench.call("Edit", input, { session })).text).toContain("Read it before you change it");
    await session.close();
  });

  it("bytes that would be damaged", async () => {
    const bytes = Buffer.from([0x67, 0x72, 0xfc, 0x6e, 0x0a]);
    await known(bytes);
    expect((await edit("gr", "GR")).text).toContain("editing it would damage it");
  });
});

it("a file that was mentioned or read by the parent was read", async () => {
  const path = bench.file("a.txt", "one");
  await bench.session.record({ type: "file_read", path, content: "one" });
  expect((await edit("one", "two")).isError).toBeUndefined();
  const session = bench.session.subagent({ agentType: "Explore" });
  const input = { file_path: "a.txt", old_string: "two", new_string: "three" };
  expect((await bench.call("Edit", input, { session })).isError).toBeUndefined();
  await session.close();
});

it("replace_all replaces every place", async () => {
  await known("a b a b a");
  expect(await edit("a", "aa", { replace_all: true })).toMatchObject({
    text: "Edited a.txt, 3 occurrences.",
  });
  expect(bench.text("a.txt")).toBe("aa b aa b aa");
});

describe("line endings and marks stay", () => {
  it("CRLF, over several lines", async () => {
    await known("one\r\ntwo\r\nthree\r\n");
    await edit("one\ntwo", "1\n1½\n2");
    expect(bench.text("a.txt")).toBe("1\r\n1½\r\n2\r\nthree\r\n");
  });

  it("CRLF, with replace_all", async () => {
    await known("x\r\ny\r\nx\r\ny\r\n");
    await edit("x\ny", "x\nz", { replace_all: true });
    expect(bench.text("a.txt")).toBe("x\r\nz\r\nx\r\nz\r\n");
  });

  it("mixed ones, where nothing was changed", async () => {
    await known("a\r\nb\nc\r\nd\n");
    await edit("b\nc", "B");
    expect(bench.text("a.txt")).toBe("a\r\nB\r\nd\n");
  });

  it("a mark at the beginning, in UTF-8 and UTF-16", async () => {
    await known("\uFEFFone\n");
    await edit("one", "two");
    expect(bench.text("a.txt")).toBe("\uFEFFtwo\n");
    await known(Buffer.from("\uFEFFone\n", "utf16le"));
    await edit("one", "two");
    expect(bench.text("a.txt")).toBe(Buffer.from("\uFEFFtwo\n", "utf16le").toString("utf8"));
  });
});

it("the agent's own edit is never reported back to it", async () => {
  await known("one\r\ntwo\r\n");
  await edit("two", "2");
  const { reminders } = await bench.session.turn();
  expect(reminders.map(({ type }) => type)).not.toContain("edited_text_file");
});

it("a person sees the change", async () => {
  await known("one\n");
  bench.permissions.mode = "ask";
  await edit("one", "1");
  expect(bench.asked).toEqual([
    { toolName: "Edit", title: "Edit a.txt", detail: "- one\n+ 1\n\nalways: every Edit call in the project" },
  ]);
});
