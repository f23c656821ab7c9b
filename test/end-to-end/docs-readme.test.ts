// The README's request is what a session really sends, and its install line works.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { anthropicMessages } from "sotto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

const root = join(import.meta.dirname, "../..");
const page = await readFile(join(root, "README.md"), "utf8");

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => world.remove());

it("the reminder in the README's request is the one that a session sends", async () => {
  const code = "export function inCents(euros) {\n  return Math.round(euros * 100);\n}\n";
  world.write("src/money.js", code);
  const session = openIn(world);
  await session.record({ type: "file_read", path: world.at("src/money.js") });
  world.write("src/money.js", `// Half a cent is rounded up.\n${code}`);
  const input = { file_path: "src/cart.js" };
  const messages = [
    { role: "user", content: "Please fix the total in src/cart.js." },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Edit", input }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: "Edited src/cart.js, line 2." }],
    },
  ];
  const { body } = await session.turn({ dialect: anthropicMessages, body: { messages } });
  await session.close();

  expect(body.messages.slice(0, 3)).toEqual(messages);
  expect(body.messages).toHaveLength(4);
  const added = JSON.parse(JSON.stringify(body.messages[3]));
  const shown = /<system-reminder>.*?<\/system-reminder>/su.exec(page)?.[0] ?? "";
  expect(words(shown)).toBe(words(added.content[0].text.replace(world.root, "/home/ada/shop")));
});

it("the README's install line works in an empty directory", async () => {
  const line = /^npm install (~\/sotto\/packages.*?) *#/mu.exec(page)?.[1] ?? "";
  const paths = line.split(" ").map((path) => path.replace("~/sotto", root));
  expect(paths).toHaveLength(2);
  world.write("package.json", '{ "private": true, "type": "module" }');
  const options = { cwd: world.root };
  const quiet = ["--offline", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", ["install", ...quiet, ...paths], options);
  const code = 'import { createSession } from "sotto"; console.log(typeof createSession);';
  const node = (...options: string[]) => promisify(execFile)(process.execPath, options, { cwd: world.root });
  expect((await node("--input-type=module", "-e", code)).stdout).toBe("function\n");
  expect((await node("node_modules/.bin/sotto", "--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/u);
});

/** With each run of white space as one space: the page breaks lines elsewhere. */
function words(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
