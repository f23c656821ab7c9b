import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectServers } from "./server-settings.ts";

let root: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sotto-mcp-project-")));
  await mkdir(join(root, "repo/.git"), { recursive: true });
  await mkdir(join(root, "repo/packages/a"), { recursive: true });
  await mkdir(join(root, "broken"));
  await mkdir(join(root, "bare/.git"), { recursive: true });
  await writeFile(join(root, "repo/.mcp.json"), '{ "mcpServers": { "docs": { "command": "docs" } } }');
  await writeFile(join(root, "broken/.mcp.json"), '{ "mcpServers": { "docs": { "comand": "docs" } } }');
  await writeFile(join(root, ".mcp.json"), '{ "mcpServers": { "outside": { "command": "x" } } }');
});
afterAll(() => rm(root, { recursive: true }));

const trusting = async () => true;

it("finds the project's file upwards, and gives its servers where it is trusted", async () => {
  const asked: string[][] = [];
  const found = await projectServers({
    cwd: join(root, "repo/packages/a"),
    async isTrusted(path, content) {
      asked.push([path, content]);
      return true;
    },
  });
  const path = join(root, "repo/.mcp.json");
  expect(found).toEqual({ servers: { docs: { command: "docs" } }, path, problems: [] });
  expect(asked).toEqual([[path, '{ "mcpServers": { "docs": { "command": "docs" } } }']]);
});

it("AC-50 gives nothing of a file that is not trusted, and says what was left out", async () => {
  const path = join(root, "repo/.mcp.json");
  expect(await projectServers({ cwd: join(root, "repo"), isTrusted: async () => false })).toEqual({
    servers: {},
    path,
    problems: [{ path, reason: "not trusted: 1 MCP servers were not started (docs)", needsTrust: true }],
  });
});

it("a broken file is reported, never guessed; one outside the repository is not the project's", async () => {
  const path = join(root, "broken/.mcp.json");
  expect(await projectServers({ cwd: join(root, "broken"), isTrusted: trusting })).toEqual({
    servers: {},
    path,
    problems: [
      {
        path,
        reason:
          '.mcp.json: mcpServers.docs: expected either "command" (it is started) or "url" (it runs somewhere); did you mean "command"?',
      },
    ],
  });
  expect(await projectServers({ cwd: join(root, "bare"), isTrusted: trusting })).toEqual({
    servers: {},
    problems: [],
  });
});

it.each(["by its name", "as a link", "as a hard link"])("a denied file starts nothing: %s", async (how) => {
  const cwd = join(root, `denied ${how}`);
  await mkdir(join(cwd, "secret"), { recursive: true });
  const path = join(cwd, ".mcp.json");
  const secret = join(cwd, "secret/servers.json");
  await writeFile(secret, '{ "mcpServers": { "docs": { "command": "docs" } } }');
  if (how === "by its name") await writeFile(path, '{ "mcpServers": { "docs": { "command": "docs" } } }');
  else await (how === "as a link" ? symlink(secret, path) : link(secret, path));
  const rule = how === "by its name" ? ".mcp.json" : "secret";
  expect(Object.keys((await projectServers({ cwd, isTrusted: trusting })).servers)).toEqual(["docs"]);
  expect(await projectServers({ cwd, isTrusted: trusting, permissions: { denyRead: [rule] } })).toEqual({
    servers: {},
    path,
    problems: [{ path, reason: `the rule \`${rule}\` denies it` }],
  });
});
