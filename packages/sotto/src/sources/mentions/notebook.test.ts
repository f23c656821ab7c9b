import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMentionedFiles, PATIENT } from "../../../../../test/support/mentioned-files.ts";
import { readNotebook } from "./notebook-jobs.ts";

let files: ReturnType<typeof openMentionedFiles>;
beforeAll(() => {
  files = openMentionedFiles();
});
afterAll(() => files.close());

const notebook = (cells: unknown[]) =>
  JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
const code = (source: string, outputs: unknown[] = []) => ({
  cell_type: "code",
  metadata: {},
  source,
  outputs,
});
const stream = (text: unknown) => ({ output_type: "stream", name: "stdout", text });

describe("a mentioned notebook", () => {
  it("brings its cells with the text they printed", async () => {
    files.put(
      "a.ipynb",
      notebook([
        { cell_type: "markdown", metadata: {}, source: ["# Title\n", "Words."] },
        code("print(1)\n2", [
          stream(["1\n", "2\n"]),
          { output_type: "execute_result", data: { "text/plain": ["2"], "text/html": "<b>2</b>" } },
          { output_type: "display_data", data: { "image/png": "iVBORw0KGgo=", "text/plain": "<Figure>" } },
          { output_type: "display_data", data: { "image/png": "iVBORw0KGgo=" } },
          {
            output_type: "error",
            ename: "ZeroDivisionError",
            evalue: "division by zero",
            traceback: ["\x1b[0;31m---\x1b[0m", "\x1b]8;;file:///a\x1b\\a.py\x1b]8;;\x07:\x1b[1;32m1\x1b[0m"],
          },
          { output_type: "error", ename: "Bad", evalue: "day", traceback: [] },
        ]),
        { cell_type: "raw", source: "" },
      ]),
    );
    expect(await files.load("a.ipynb")).toEqual({
      kind: "content",
      content: {
        type: "notebook",
        cells: [
          { type: "markdown", source: "# Title\nWords.", outputs: [] },
          {
            type: "code",
            source: "print(1)\n2",
            outputs: ["1\n2\n", "2", "<Figure>", "---\na.py:1", "Bad: day"],
          },
          { type: "raw", source: "", outputs: [] },
        ],
      },
      truncated: false,
      realPath: files.at("a.ipynb"),
      stat: files.stat("a.ipynb"),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
      whole: true,
    });
  });

  it("of an old version has its cells on sheets", async () => {
    const cells = [{ cell_type: "code", input: ["1"], outputs: [{ output_type: "pyout", text: ["1"] }] }];
    files.put("old.ipynb", JSON.stringify({ nbformat: 3, worksheets: [{ cells }] }));
    expect(await files.load("old.ipynb")).toMatchObject({
      content: { type: "notebook", cells: [{ type: "code", source: "1", outputs: ["1"] }] },
    });
  });

  it("may be larger than a text, as most of it are pictures, but is not whole then", async () => {
    const picture = { output_type: "display_data", data: { "image/png": "x".repeat(3_000_000) } };
    files.put("pictures.ipynb", notebook([code("plot()", [picture])]));
    expect(await files.load("pictures.ipynb")).toMatchObject({
      content: { type: "notebook", cells: [{ type: "code", source: "plot()", outputs: [] }] },
      truncated: false,
      whole: false,
    });
  });

  it("is cut by the limits of text", async () => {
    const lines = "line\n".repeat(1999);
    files.put("long.ipynb", notebook([code("a", [stream(lines)]), code("b", [stream(lines)]), code("c")]));
    expect(await files.load("long.ipynb")).toMatchObject({
      content: {
        cells: [
          { type: "code", source: "a", outputs: [lines] },
          { type: "code", source: "b", outputs: ["line\n".repeat(999)] },
        ],
      },
      truncated: true,
      whole: false,
    });
    files.put("many.ipynb", notebook(Array.from({ length: 5000 }, () => code(""))));
    const many = await files.load("many.ipynb");
    expect(many).toMatchObject({ kind: "content", truncated: true });
    expect((many as { content: { cells: unknown[] } }).content.cells).toHaveLength(3000);
  });

  it("with a range is the text of its lines", async () => {
    files.put("range.ipynb", '{\n"cells": []\n}\n');
    expect(await files.load("range.ipynb", { lines: { lineStart: 2 } })).toMatchObject({
      content: { type: "text", content: '"cells": []\n', startLine: 2, totalLines: 3 },
    });
  });
});

describe("what only looks like a notebook", () => {
  it.each([
    ["broken", '{"cells": [', "Unexpected end of JSON input"],
    ["other", '{"a": 1}', "it has no cells"],
    ["list", "[1]", "it is not an object"],
  ])("is shown as text: %s", async (name, content, problem) => {
    files.put(`${name}.ipynb`, content);
    expect(await files.load(`${name}.ipynb`)).toMatchObject({
      content: { type: "text", content, numLines: 1, totalLines: 1 },
      truncated: false,
      remark: `It is shown as text, as it cannot be read as a notebook: ${problem}`,
      whole: true,
    });
  });

  it("has odd things in it: they are left out", () => {
    const read = (value: unknown) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value)).buffer;
      return readNotebook({ bytes, hash: "", lines: 100, characters: 1000 });
    };
    expect(read({ cells: [null, 1, "x", [], { cell_type: 7, source: { a: 1 }, outputs: "none" }] })).toEqual({
      cells: Array.from({ length: 5 }, () => ({ type: "unknown", source: "", outputs: [] })),
      truncated: false,
    });
    expect(read({ cells: [code("x", [null, 3, stream([1, "a", null]), { data: [], text: {} }])] })).toEqual({
      cells: [{ type: "code", source: "x", outputs: ["a"] }],
      truncated: false,
    });
    expect(read({ cells: "none" })).toEqual({ problem: "it has no cells" });
  });

  it("is a line of 50 MB: the beginning is shown", async () => {
    files.put("line.ipynb", `{"cells":[{"source":"${"x".repeat(50_000_000)}"}]}`);
    expect(await files.load("line.ipynb")).toMatchObject({
      content: {
        type: "text",
        content: `{"cells":[{"source":"${"x".repeat(39_979)}`,
        numLines: 1,
        totalLines: 1,
      },
      truncated: true,
      whole: false,
    });
  });

  it.each([
    ["brackets", "[".repeat(8_000_000)],
    ["objects", `{"cells":[${"{},".repeat(2_600_000)}{}]}`],
  ])("AC-46 would take all memory: %s", async (name, content) => {
    files.put(`${name}.ipynb`, content);
    expect(await files.load(`${name}.ipynb`)).toMatchObject({
      content: { type: "text", numLines: 1 },
      truncated: true,
      remark: "It is shown as text, as it cannot be read as a notebook: it has more than 100000 parts",
    });
  });

  it("AC-46 takes too long: it is text then, and not tried again", async () => {
    const odd = Array.from({ length: 45_000 }, (_, index) => ({ [`key ${index}`]: 0 }));
    files.put("slow.ipynb", notebook(odd));
    const limits = { ...PATIENT, notebookMs: 0 };
    const about = `It is shown as text, as it cannot be read as a notebook: reading the notebook ${files.at("slow.ipynb")}`;
    expect(await files.load("slow.ipynb", { limits })).toMatchObject({
      content: { type: "text", numLines: 1 },
      remark: `${about} took longer than 0 ms and was ended`,
    });
    expect(await files.load("slow.ipynb", { limits })).toMatchObject({
      remark: `${about} took longer than 0 ms before; not tried again until its content changes`,
    });
  });
});
