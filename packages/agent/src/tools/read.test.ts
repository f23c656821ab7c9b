import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pdfOf } from "../../../../test/support/mentioned-files.ts";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
});
afterEach(() => bench.close());

const read = (file_path: string, rest: object = {}) => bench.call("Read", { file_path, ...rest });
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describe("text", () => {
  it("comes with line numbers and is recorded with its content", async () => {
    const path = bench.file("a.txt", "one\ntwo\n");
    expect(await read("a.txt")).toEqual({
      text: "     1\tone\n     2\ttwo",
      summary: "2 lines",
      paths: [path],
    });
    expect(bench.recorded).toEqual([
      { type: "file_read", path, content: "one\ntwo\n" },
      {
        type: "tool_finished",
        toolName: "Read",
        callId: "call-1",
        success: true,
        durationMs: expect.any(Number),
        paths: [path],
      },
    ]);
  });

  it("of which a part was asked for is recorded as a part, and asks for no instructions", async () => {
    const path = bench.file("a.txt", "1\n2\n3\n4\n");
    const { text, paths } = await read(path, { offset: 2, limit: 2 });
    expect(text).toBe("     2\t2\n     3\t3\n\n[Up to line 3 of 4. Read on with offset 4.]");
    expect(paths).toBeUndefined();
    expect(bench.events("file_read")).toEqual([{ type: "file_read", path, offset: 2, limit: 2 }]);
  });

  it("that fits the limit asked for was read in full", async () => {
    const path = bench.file("a.txt", "1\n2");
    await read(path, { limit: 500 });
    expect(bench.events("file_read")).toEqual([{ type: "file_read", path, content: "1\n2" }]);
  });

  it("of more than 2000 lines is cut, with how to read on", async () => {
    const path = bench.file(
      "long.txt",
      Array.from({ length: 2500 }, (_, index) => `line ${index + 1}\n`).join(""),
    );
    const { text } = await read("long.txt");
    expect(text.split("\n").slice(-3)).toEqual([
      "  2000\tline 2000",
      "",
      "[Up to line 2000 of 2500. Read on with offset 2001.]",
    ]);
    expect(bench.events("file_read")).toEqual([{ type: "file_read", path, shownLines: 2000 }]);
    expect((await read("long.txt", { offset: 2001 })).text).toMatch(/^ {2}2001\tline 2001\n[^[]*$/u);
  });

  it("of an empty file says so", async () => {
    const path = bench.file("empty", "");
    expect((await read("empty")).text).toBe(`${path} is empty.`);
    expect(bench.events("file_read")).toEqual([{ type: "file_read", path, content: "" }]);
  });

  it("behind its end is an error", async () => {
    const path = bench.file("a.txt", "1\n2\n");
    expect(await read("a.txt", { offset: 9 })).toEqual({
      text: `${path} has no line 9: it ends with line 2.`,
      isError: true,
    });
    expect(bench.events("file_read")).toEqual([]);
  });

  it("with CRLF and a mark at its beginning shows neither", async () => {
    bench.file("a.txt", "\uFEFFone\r\ntwo\r\n");
    expect((await read("a.txt")).text).toBe("     1\tone\n     2\ttwo");
  });

  it("in UTF-16 is shown", async () => {
    bench.file("a.txt", Buffer.from("\uFEFFgrün\n", "utf16le"));
    expect((await read("a.txt")).text).toBe("     1\tgrün");
  });
});

describe("images", () => {
  it("are shown, and recorded without text, whatever their name", async () => {
    const path = bench.file("picture.txt", PNG);
    expect(await read("picture.txt")).toEqual({
      text: `${path} (image/png, 1 KB)`,
      image: { mediaType: "image/png", data: PNG.toString("base64") },
      summary: "image/png, 1 KB",
      paths: [path],
    });
    expect(bench.events("file_read")).toEqual([{ type: "file_read", path }]);
  });

  it("that are too large are refused", async () => {
    bench.file("large.png", Buffer.concat([PNG, Buffer.alloc(4_000_000)]));
    expect(await read("large.png")).toMatchObject({
      isError: true,
      text: expect.stringMatching(/is too large/u),
    });
  });
});

describe("what cannot be read", () => {
  it("a directory, with a hint", async () => {
    mkdirSync(bench.at("src"));
    expect(await read("src")).toEqual({
      text: `${bench.at("src")} is a directory: list it with Glob, or with ls in Bash.`,
      isError: true,
    });
  });

  it("a missing file", async () => {
    expect(await read("none")).toEqual({ text: `${bench.at("none")} does not exist.`, isError: true });
  });

  it("a binary file", async () => {
    const path = bench.file("program", Buffer.from([1, 2, 0, 3]));
    expect(await read("program")).toEqual({
      text: `${path} is binary (4 bytes): it cannot be shown as text.`,
      isError: true,
    });
  });

  it("a FIFO, at once", async () => {
    execFileSync("mkfifo", [bench.at("pipe")]);
    expect(await read("pipe")).toEqual({
      text: `${bench.at("pipe")} is not a regular file but a pipe, a socket or a device.`,
      isError: true,
    });
  });

  it("what lies outside, by its name or through a link", async () => {
    const outside = join(bench.directory, "outside.txt");
    writeFileSync(outside, "secret");
    symlinkSync(bench.directory, bench.at("link"));
    for (const path of ["../outside.txt", outside, "link/outside.txt", "link/project/../outside.txt"]) {
      const { text, isError } = await read(path);
      expect(isError).toBe(true);
      expect(text).toContain("--add-dir");
      expect(text).not.toContain("secret");
    }
    expect(
      (await bench.call("Read", { file_path: outside }, { extraDirectories: [bench.directory] })).text,
    ).toBe("     1\tsecret");
  });

  it("what a rule denies, by either name", async () => {
    bench.file("keys/a.txt", "secret");
    symlinkSync("keys/a.txt", bench.at("harmless"));
    for (const file_path of ["keys/a.txt", "harmless"])
      expect(await bench.call("Read", { file_path }, { denyRead: ["keys/"] })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/the user denied it/u),
      });
  });

  it("a path with a NUL in it", async () => {
    expect(await read("a\0b")).toEqual({ text: "A path cannot contain a NUL character.", isError: true });
  });
});

it("a line of 50 MB is cut, and what is behind it can be read", async () => {
  const path = bench.at("minified.js");
  const descriptor = openSync(path, "w");
  for (let megabyte = 0; megabyte < 50; megabyte++) writeSync(descriptor, "x".repeat(1024 * 1024));
  writeSync(descriptor, "\nlast\n");
  closeSync(descriptor);
  const { text } = await read(path);
  expect(text).toBe(
    `     1\t${"x".repeat(2000)}… [${50 * 1024 * 1024 - 2000} characters more]\n     2\tlast`,
  );
  expect(bench.events("file_read")).toEqual([{ type: "file_read", path, shownLines: 2 }]);
  expect((await read(path, { offset: 2 })).text).toBe("     2\tlast");
});

it("many characters in few lines are cut at a line", async () => {
  bench.file("wide.txt", `${"y".repeat(1900)}\n`.repeat(100));
  const { text } = await read("wide.txt");
  expect(text.length).toBeLessThan(110_000);
  expect(text).toMatch(/\[Up to line 52 of 100\. Read on with offset 53\.\]$/u);
});

describe("documents, as mentions show them", () => {
  it("a PDF comes page by page, and is recorded as read", async () => {
    const path = bench.file("a.pdf", pdfOf(["First page", "Second page"]));
    expect(await read("a.pdf")).toEqual({
      text: "Page 1 of 2:\nFirst page\n\nPage 2 of 2:\nSecond page",
      summary: "2 pages",
      paths: [path],
    });
    expect(bench.events("file_read")).toEqual([{ type: "file_read", path }]);
  });

  it("a long PDF comes in parts, with how to read on", async () => {
    const path = bench.file("a.pdf", pdfOf(Array.from({ length: 23 }, (_, index) => `Text ${index + 1}`)));
    const { text } = await read("a.pdf");
    expect(text).toMatch(/^Page 1 of 23:[\s\S]*\[Up to page 20 of 23\. Read on with offset 21\.\]$/u);
    const rest = await read("a.pdf", { offset: 21 });
    expect(rest.text).toBe("Page 21 of 23:\nText 21\n\nPage 22 of 23:\nText 22\n\nPage 23 of 23:\nText 23");
    expect((await read("a.pdf", { offset: 2, limit: 1 })).text).toBe(
      "Page 2 of 23:\nText 2\n\n[Up to page 2 of 23. Read on with offset 3.]",
    );
    expect(bench.events("file_read")).toEqual([
      { type: "file_read", path, offset: 1, limit: 20 },
      { type: "file_read", path, offset: 21, limit: 3 },
      { type: "file_read", path, offset: 2, limit: 1 },
    ]);
    expect(await read("a.pdf", { offset: 90 })).toMatchObject({
      isError: true,
      text: expect.stringContaining("has no page 90: it has 23"),
    });
  });

  it("a damaged PDF says so", async () => {
    bench.file("a.pdf", "%PDF-1.7\nnothing");
    expect(await read("a.pdf")).toMatchObject({ isError: true, text: expect.stringContaining("damaged") });
  });

  const notebook = JSON.stringify(
    {
      cells: [
        { cell_type: "markdown", source: ["# Plot"] },
        { cell_type: "code", source: "1 + 1", outputs: [{ output_type: "stream", text: ["2\n"] }] },
      ],
    },
    undefined,
    1,
  );

  it("a notebook comes cell by cell, and as lines where lines are asked for", async () => {
    const path = bench.file("a.ipynb", notebook);
    const { text, paths } = await read("a.ipynb");
    expect(text).toMatch(/^Cell 1 \(markdown\):\n# Plot\n\nCell 2 \(code\):\n1 \+ 1\nOutput:\n2\n/u);
    expect(text).toContain("[Read with offset and limit for the lines of the file, as Edit needs them.]");
    expect(paths).toEqual([path]);
    expect((await read("a.ipynb", { offset: 1, limit: 2 })).text).toContain('     2\t "cells": [');
  });

  it("what only has the name of a notebook comes as text", async () => {
    bench.file("a.ipynb", "no notebook\n");
    expect((await read("a.ipynb")).text).toBe("     1\tno notebook");
  });
});
