// The examples, as they stand in the repository: they compile with the frameworks' own types, and run.

import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { ModelServerOptions } from "../../support/servers/model-server.ts";
import { type FrameworkName, frameworkNames } from "./install-on-demand.ts";
import { copied, folderOf, openStage } from "./stage.ts";

const root = join(import.meta.dirname, "../../..");

const readingFirst =
  (name: string, field: string): ModelServerOptions["script"] =>
  (_body, index) =>
    index === 0
      ? { thinking: "Hm.", toolCalls: [{ name, input: { [field]: "notes.txt" } }] }
      : { thinking: "Hm.", text: "Looked." };

const examples: { name: FrameworkName; model: ModelServerOptions; says: string; basePath?: string }[] = [
  {
    name: "openai-agents",
    model: { provider: "openai-responses", script: readingFirst("read_file", "path") },
    says: "another note",
  },
  {
    name: "langchain",
    model: { provider: "openai-responses", script: readingFirst("read_file", "path") },
    says: "another note",
  },
  {
    name: "mastra",
    model: { provider: "anthropic", script: readingFirst("read_file", "path") },
    says: "another note",
    basePath: "/v1",
  },
  {
    name: "claude-agent-sdk",
    model: { provider: "anthropic", script: readingFirst("Read", "file_path") },
    says: "Every note ends with a full stop.",
  },
];

describe.each(examples)("$name", ({ name, model, says, basePath = "" }) => {
  test("the example runs, and what it is about is told once, in the last request first", async (context) => {
    const stage = await openStage(name, context, model);
    const { code, stdout, stderr } = await stage.run(`examples/${name}/agent.ts`, {
      ANTHROPIC_BASE_URL: stage.server.url + basePath,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1",
    });
    const { requests, violations } = stage.server;
    expect({ code, violations }, `${stdout}\n${stderr}`).toEqual({ code: 0, violations: [] });
    expect(stdout).toContain("Looked.");
    const told = requests.map(({ raw }) => raw.split(says).length - 1);
    expect(told.at(-1)).toBe(1);
    expect(told.slice(0, -1)).not.toContain(1);
  });
});

test.for(frameworkNames)("%s: the example and the scenario compile with its types", async (name, context) => {
  const folder = folderOf(name, context);
  const programs = [`examples/${name}/agent.ts`, `test/clients/frameworks/scenarios/${name}.ts`];
  const files = await Promise.all(programs.map((program) => copied(program, folder)));
  const config = join(folder, "tsconfig.json");
  // The repository itself is not looked at again: the library comes as it is built.
  const compilerOptions = {
    typeRoots: [join(root, "node_modules/@types")],
    customConditions: [],
    // The frameworks' own types are not written for it.
    exactOptionalPropertyTypes: false,
  };
  await writeFile(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      compiler,
      "--noEmit",
      "-p",
      config,
    ]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  } finally {
    await rm(config);
  }
});
