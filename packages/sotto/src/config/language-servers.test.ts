import { describe, expect, it } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import { mergeConfig, resolveSettings } from "./schema.ts";

const settings = (language_servers?: unknown) =>
  resolveSettings(language_servers === undefined ? {} : { language_servers }, catalogue).language_servers;
const gopls = { command: ["gopls"], extensions: [".go"], settings: { gopls: { staticcheck: true } } };

describe("config.language_servers", () => {
  it.each([
    [undefined, { enabled: false, wait_ms: 200, servers: {} }],
    [true, { enabled: true, wait_ms: 200, servers: {} }],
    [false, { enabled: false, wait_ms: 200, servers: {} }],
    [
      { wait_ms: 0, gopls },
      { enabled: true, wait_ms: 0, servers: { gopls } },
    ],
    [{ python: false }, { enabled: true, wait_ms: 200, servers: { python: { enabled: false } } }],
  ])("%j is taken", (given, expected) => expect(settings(given)).toEqual(expected));

  it.each([
    ["on", "config.language_servers: expected a table"],
    [{ wait_ms: -1 }, "config.language_servers.wait_ms: expected >=0, got -1"],
    [{ gopls: 3 }, "config.language_servers.gopls: expected a table"],
    [
      { gopls: { comand: ["x"] } },
      'config.language_servers.gopls: "comand" is not known; did you mean "command"?',
    ],
    [{ gopls: { command: ["x"] } }, "config.language_servers.gopls: a server needs a command and extensions"],
    [
      { typescrip: {} },
      'config.language_servers.typescrip: a server needs a command and extensions; did you mean "typescript"?',
    ],
    [
      { gopls: { command: [], extensions: [".go"] } },
      "config.language_servers.gopls.command: expected >=1, got 0",
    ],
  ])("%j is refused in words", (given, message) => expect(() => settings(given)).toThrow(message));

  it("a later layer switches a table without losing it", () => {
    const { language_servers } = resolveSettings(
      mergeConfig({ language_servers: { gopls } }, { language_servers: false }),
      catalogue,
    );
    expect(language_servers).toEqual({ enabled: false, wait_ms: 200, servers: { gopls } });
  });
});

it("lsp_diagnostics has a table of its own, checked like any other", () => {
  const attachments = (lsp_diagnostics: unknown) =>
    resolveSettings({ attachments: { lsp_diagnostics } }, catalogue).types.get("lsp_diagnostics");
  expect(attachments(false)).toEqual({ enabled: false, options: { min_severity: "Warning" } });
  expect(() => attachments({ min_severty: "Error" })).toThrow(
    'config.attachments.lsp_diagnostics: "min_severty" is not known; did you mean "min_severity"?',
  );
  expect(() => attachments({ min_severity: "Bad" })).toThrow(
    "config.attachments.lsp_diagnostics.min_severity: expected",
  );
});
