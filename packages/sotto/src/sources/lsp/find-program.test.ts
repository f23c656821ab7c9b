import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Found, findProgram, plansFor, type ServerPlan } from "./find-server.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-find-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const [typescript, python] = plansFor({ enabled: true, wait_ms: 0, servers: {} }) as [ServerPlan, ServerPlan];

function put(path: string, text = "#!/usr/bin/env node\n"): string {
  const place = join(root, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  chmodSync(place, 0o755);
  return place;
}
function bin(directory: string, name: string, target: string): void {
  mkdirSync(join(root, directory), { recursive: true });
  symlinkSync(target, join(root, directory, name));
}
/** A place outside of the project, as `npm install -g` makes it. */
function installGlobally(name: string): void {
  bin("global/bin", name, put(`global/lib/node_modules/${name}/cli.mjs`));
}
const find = (plan: ServerPlan, isTrusted = false): Promise<Found> =>
  findProgram(plan, {
    cwd: join(root, "project"),
    path: [join(root, "global/bin"), "relative", join(root, "project/node_modules/.bin")].join(":"),
    async isTrusted() {
      return isTrusted;
    },
  });

describe("a program of the project", () => {
  it("AC-50 does not run unless it is trusted, also where a script put it on the PATH", async () => {
    bin("project/node_modules/.bin", "pyright-langserver", put("project/node_modules/pyright/langserver.js"));
    expect(await find(python)).toEqual({
      kind: "untrusted",
      detail: `${join(root, "project/node_modules/.bin/pyright-langserver")} comes with the project: trust the project first`,
    });
    expect(await find(python, true)).toEqual({
      kind: "found",
      command: process.execPath,
      args: [join(root, "project/node_modules/pyright/langserver.js"), "--stdio"],
      program: join(root, "project/node_modules/.bin/pyright-langserver"),
      options: undefined,
    });
  });

  it("goes before the one on the PATH where it is trusted, else that one is taken", async () => {
    bin("project/node_modules/.bin", "pyright-langserver", put("project/node_modules/pyright/langserver.js"));
    installGlobally("pyright-langserver");
    const programIn = async (isTrusted: boolean) =>
      ((await find(python, isTrusted)) as { program: string }).program;
    expect(await programIn(true)).toContain("project/node_modules");
    expect(await programIn(false)).toBe(join(root, "global/bin/pyright-langserver"));
  });

  it("is found further up, too", async () => {
    bin("node_modules/.bin", "pyright-langserver", put("node_modules/pyright/langserver.js"));
    expect((await find(python)).kind).toBe("untrusted");
  });
});

describe("the TypeScript server", () => {
  it("AC-50 gets a TypeScript of its own where the project is not trusted, or does not run", async () => {
    installGlobally("typescript-language-server");
    put("project/node_modules/typescript/lib/tsserver.js");
    expect((await find(typescript)).kind).toBe("untrusted");
    bin("global/bin", "tsc", put("global/lib/node_modules/typescript/bin/tsc"));
    put("global/lib/node_modules/typescript/package.json", '{ "version": "6.0.3" }');
    const own = put("global/lib/node_modules/typescript/lib/tsserver.js");
    expect(await find(typescript)).toMatchObject({
      kind: "found",
      options: { disableAutomaticTypingAcquisition: true, tsserver: { path: own } },
    });
  });

  it("is TypeScript itself from 7 on", async () => {
    bin("global/bin", "tsc", put("global/lib/node_modules/typescript/bin/tsc"));
    put("global/lib/node_modules/typescript/package.json", '{ "version": "6.0.3" }');
    expect((await find(typescript)).kind).toBe("missing");
    put("global/lib/node_modules/typescript/package.json", '{ "version": "7.0.1" }');
    expect(await find(typescript)).toMatchObject({
      kind: "found",
      args: [expect.any(String), "--lsp", "--stdio"],
    });
  });
});

describe("a command from config", () => {
  const plan = (command: string): ServerPlan => ({
    name: "own",
    extensions: [".own"],
    candidates: [[command, "--flag"]],
    settings: {},
  });

  it("with a slash is taken as it is; what is no script for Node is run by itself", async () => {
    const program = put("project/tools/server", "#!/bin/sh\n");
    expect(await find(plan("tools/server"))).toEqual({
      kind: "found",
      command: program,
      args: ["--flag"],
      program,
      options: undefined,
    });
  });

  it("without one is looked for like any other", async () => {
    bin("project/node_modules/.bin", "own-server", put("project/node_modules/own/server.js"));
    expect((await find(plan("own-server"))).kind).toBe("untrusted");
    expect(await find(plan("nobody"))).toEqual({
      kind: "missing",
      detail: "nobody is neither in the project nor on the PATH",
    });
  });
});

it("what is missing is told with the command that brings it", async () => {
  expect(await find(python)).toEqual({
    kind: "missing",
    detail:
      "pyright-langserver, basedpyright-langserver, pylsp is neither in the project nor on the PATH; npm install -g pyright brings it",
  });
});
