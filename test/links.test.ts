// Every relative link of every Markdown file leads to a file that is there, and to a heading it has.

import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pages = globSync(["*.md", "{bench,docs,examples,packages,test,tools}/**/*.md"], {
  cwd: root,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist)(?:\/|$)/u.test(path),
});

it("there are pages to look at", () => {
  expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/guide/init.md", "examples/README.md"]));
});

it.each(pages)("the links of %s lead somewhere", (page) => {
  const broken = linksOf(read(page)).filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const target = path === "" ? page : relative(root, join(root, dirname(page), path));
  const found = target.startsWith("..") ? undefined : statSync(join(root, target), { throwIfNoEntry: false });
  if (found === undefined) return false;
  return heading === undefined || headingsOf(read(target)).includes(heading);
}

function linksOf(text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/gu)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/u.test(link));
}

/** As the usual viewers name them. */
function headingsOf(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.+)$/gmu)].map(([, words = ""]) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function prose(text: string): string {
  return text.replace(/^```.*?^```/gmsu, "");
}

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}
