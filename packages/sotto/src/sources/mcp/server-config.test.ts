import { expect, it } from "vitest";
import { variable } from "../../../../../test/support/mcp-world.ts";
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
  [{ a: { command: "x", arg: [] } }, 'mcpServers.a.arg: unknown field; did you mean "args"?'],
  [
    { a: { command: "x", headers: {} } },
    "mcpServers.a.headers: unknown field; there are type, command, args, env, cwd",
  ],
  [
    { a: { comand: "x" } },
    'mcpServers.a: expected either "command" (it is started) or "url" (it runs somewhere); did you mean "command"?',
  ],
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

it("every misspelt field gets the right one as a hint", () => {
  const fields = { url: ["type", "headers"], command: ["type", "args", "env", "cwd"] };
  for (const [kind, names] of Object.entries(fields))
    for (const name of names)
      for (let at = 0; at < name.length; at++) {
        const given = name.slice(0, at) + name.slice(at + 1);
        const server = { [kind]: "http://127.0.0.1", [given]: {} };
        expect(() => parseServers({ a: server as never })).toThrow(
          `mcpServers.a.${given}: unknown field; did you mean "${name}"?`,
        );
      }
});

it("a url that is no HTTP address is refused, and not shown, as it may have a password", () => {
  const wrong = [
    "notaurl",
    "",
    "localhost:80/mcp",
    "//host/mcp",
    "ftp://h",
    "file:///x",
    "http://",
    "http:// x",
  ];
  for (const url of wrong) {
    const parse = () => parseServers({ a: { url } });
    expect(parse).toThrow(
      /^mcpServers\.a\.url: expected an address that begins with "http:\/\/" or "https:\/\/"$/u,
    );
  }
  for (const url of [
    "http://127.0.0.1:1",
    "https://h/mcp?a=b",
    "HTTP://h",
    variable("URL"),
    `http://${variable("H")}/`,
  ])
    expect(parseServers({ a: { url } })).toEqual({ a: { url } });
});
