import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createBoundedFile } from "./background-tasks.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-bounded-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const path = () => join(directory, "a.log");

it("gives what was written from a place on", async () => {
  const file = await createBoundedFile(path());
  await file.append("grün\n");
  expect(await file.read(0)).toEqual({ text: "grün\n", end: 6 });
  await file.append("blau\n");
  expect(await file.read(6)).toEqual({ text: "blau\n", end: 11 });
  expect(await file.read(11)).toEqual({ text: "", end: 11 });
  await file.close();
  expect(await file.read(0)).toEqual({ text: "grün\nblau\n", end: 11 });
});

it("keeps the latest part and counts what it let go", async () => {
  const file = await createBoundedFile(path(), 100);
  for (let number = 0; number < 30; number++) await file.append(`line ${String(number).padStart(3)}\n`);
  const { text, end } = await file.read(0);
  await file.close();
  expect(end).toBe(270);
  const [first = "", ...lines] = text.split("\n");
  const lost = Number(/^\[(\d+) bytes were dropped\]$/u.exec(first)?.[1]);
  expect(lost + lines.join("\n").length).toBe(270);
  expect(lines.at(-2)).toBe("line  29");
  const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100);
});

it("is never made over one that is there", async () => {
  const file = await createBoundedFile(path());
  await expect(createBoundedFile(path())).rejects.toMatchObject({ code: "EEXIST" });
  await file.close();
});

it("says what could not be written", async () => {
  const file = await createBoundedFile(path());
  await file.append("kept");
  await file.close();
  await file.append("lost");
  expect((await file.read(0)).text).toMatch(/^kept\n\[some of the output could not be saved: .+\]$/u);
});
