// The page about threats names tests that exist, and every attack; the promises of the README link to what shows them.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const rows = rowsOf("docs/threats.md");

it("the page has rows", () => {
  expect(rows.length).toBeGreaterThan(40);
});

it.each(rows)("$file has the test: $test", ({ file, titles }) => {
  expect(existsSync(join(root, file))).toBe(true);
  const known = titlesIn(file);
  expect(titles.filter((title) => !known.has(title))).toEqual([]);
  expect(titles.length).toBeGreaterThan(0);
});

it("every file of attacks has a row", () => {
  const named = new Set(rows.map(({ file }) => file));
  const attacks = globSync("test/attacks/*.test.ts", { cwd: root });
  expect(attacks.length).toBeGreaterThan(0);
  expect(attacks.filter((file) => !named.has(file))).toEqual([]);
});

it("every promise of the README links to the test or benchmark that shows it", () => {
  const section = read("README.md")
    .split(/^## /mu)
    .find((text) => text.startsWith("What it promises\n"));
  const promises = section?.split(/^(?=- \*\*)/mu).slice(1) ?? [];
  expect(promises.length).toBe(6);
  const bare = promises.filter((promise) => !linksIn(promise).some(showsSomething));
  expect(bare).toEqual([]);
});

/** Each row of each table; the last cell is `[file](link) › title`, or with the titles around it, outermost first. */
function rowsOf(page: string) {
  const cells = read(page)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.endsWith("| test |"))
    .map((line) => line.split("|").at(-2)?.trim() ?? "");
  return cells.map((cell) => {
    const [link = "", ...titles] = cell.split(" › ");
    const [target = ""] = linksIn(link);
    const file = relative(root, join(root, dirname(page), target));
    return { file, titles: titles.map(plain), test: titles.join(" › ") };
  });
}

/** The first argument of each `test(…)`, `it.each(…)(…)`, `describe(…)` and the like. */
function titlesIn(file: string): Set<string> {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const titles = new Set<string>();
  visit(source);
  return titles;

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node) && /^(?:test|it|describe)\b/u.test(node.expression.getText())) {
      const [title] = node.arguments;
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        titles.add(plain(title.getText().slice(1, -1)));
    }
    ts.forEachChild(node, visit);
  }
}

/** Without the quotes that a title can have in code or on a page. */
function plain(title: string): string {
  return title.replace(/[\\`"]/gu, "");
}

function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, link = ""]) => link);
}

function showsSomething(link: string): boolean {
  return /^(?:test|bench)\//u.test(link) && existsSync(join(root, link));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
