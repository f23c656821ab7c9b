import { expect, it } from "vitest";
import { parseServers, parseServersFile } from "./server-settings.ts";

it("takes servers that are started and servers that run somewhere", () => {
  const servers = {
    files: { command: "node", args: ["server.js"], env: { A: "1" }, cwd: "tools" },
    "my.docs": { type: "http", url: "https://example.org/mcp", headers: { authorization: "Bearer x" } },
    old: { type: "sse", url: "http://127.0.0.1:1/sse" },
  };
  expect(parseServersFile({ mcpServers: servers }, ".mcp.json")).toEqual(servers);
});

it.each([
  [[], "mcpServers: expected a table of servers by their names"],
  [{ a: 1 }, 'mcpServers.a: expected a table with "command" or "url"'],
  [{ a: {} }, 'mcpServers.a: expected either "command" (it is started) or "url" (it runs somewhere)'],
  [
    { a: { command: "x", url: "http://x" } },
    'mcpServers.a: expected either "command" (it is started) or "url" (it runs somewhere)',
  ],
  [{ a: { command: "" } }, "mcpServers.a.command: must not be empty"],
  [{ a: { command: "x", arg: [] } }, "mcpServers.a.arg: unknown field"],
  [{ a: { command: "x", args: "y" } }, 'mcpServers.a.args: expected Array, got "y"'],
  [
    { "a b": { command: "x" } },
    'mcpServers.a b: a name has letters, digits, "_", "-" and ".", 64 at the most',
  ],
])("says what is wrong with %j", (servers, problem) => {
  expect(() => parseServers(servers)).toThrow(problem);
});

it("a file without servers is told by its name", () => {
  expect(() => parseServersFile({ servers: {} }, ".mcp.json")).toThrow(
    '.mcp.json: expected an object with "mcpServers"',
  );
});
