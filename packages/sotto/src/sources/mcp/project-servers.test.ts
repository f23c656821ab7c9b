import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectServers } from "./project-servers.ts";

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
    problems: [{ path, reason: "not trusted: 1 MCP servers were not started (docs)" }],
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
          '.mcp.json: mcpServers.docs: expected either "command" (it is started) or "url" (it runs somewhere)',
      },
    ],
  });
  expect(await projectServers({ cwd: join(root, "bare"), isTrusted: trusting })).toEqual({
    servers: {},
    problems: [],
  });
});
