// What editors show of the package as it is built: a comment for every option, config key, event and field.

import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventTypes } from "sotto/internal";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  configKeys,
  memoryKeys,
  sharedKeys,
  tasksKeys,
} from "../../packages/sotto/src/config/key-reference.ts";
import { events } from "../../packages/sotto/src/facts/events.ts";
import { OWN_TAGS } from "../../packages/sotto/src/render/tags.ts";
import { type Shown, shownIn } from "../support/editor.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const hostTypes = eventTypes.filter((type) => events[type].by === "host");
const resolutions = {
  node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
};
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2024,
  types: ["node"],
};

const SOURCE = `
import { createSession, profiles } from "sotto";
const session = createSession({ cwd: "." });
createSession({ /*options*/ });
createSession({ cwd: ".", config: { /*config*/ } });
createSession({ cwd: ".", config: { memory: { /*memory*/ }, tasks: { /*tasks*/ } } });
createSession({ cwd: ".", config: { attachments: { todo_reminder: { /*type*/ } } } });
createSession({ cwd: ".", config: { language_servers: { /*servers*/ } } });
createSession({ cwd: ".", config: { tags: { /*tags*/ } } });
createSession({ cwd: ".", configFiles: { /*configFiles*/ }, trust: { /*trust*/ }, permissions: { /*permissions*/ } });
createSession({ cwd: ".", mentions: { /*mentions*/ }, mailbox: { /*mailbox*/ }, tools: [{ /*tools*/ }] });
createSession({ cwd: ".", agent: { kind: "sub", /*agent*/ } });
createSession({ cwd: ".", agent: { kind: "sub", definition: { /*definition*/ } } });
session.turn({ /*turn*/ });
session./*session*/;
const turn = await session.turn();
turn./*result*/;
turn.reminders[0]!./*reminder*/;
turn.trace[0]!./*trace*/;
(await session.state())./*state*/;
session.record({ type: "todos_written", items: [{ /*todo*/ }] });
session.record({ type: "diagnostics_published", origin: "host", filePath: "a", diagnostics: [{ /*diagnostic*/ }] });
session.record({ type: "ide_changed", ideName: "x", selection: { /*selection*/ } });
${hostTypes
  .map(
    (type) =>
      `session.record({ type: "${type}", /*of_${type}*/ });\nsession.record({ /*?${type}*/type: "${type}" });`,
  )
  .join("\n")}
`;

describe("the built declarations", () => {
  let directory: string;
  let shown: Shown;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sotto-editor-"));
    mkdirSync(join(directory, "node_modules/@types"), { recursive: true });
    mkdirSync(join(directory, "node_modules/sotto"));
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
    copyFileSync(
      join(root, "packages/sotto/package.json"),
      join(directory, "node_modules/sotto/package.json"),
    );
    // Apart from `dist`, which other tests build and use.
    const tsdown = [
      join(root, "node_modules/tsdown/dist/run.mjs"),
      "--out-dir",
      join(directory, "node_modules/sotto/dist"),
    ];
    await promisify(execFile)(process.execPath, tsdown, { cwd: join(root, "packages/sotto") });
    for (const name of ["valibot", "zod", "@types/node", "undici-types"])
      symlinkSync(join(root, "node_modules", name), join(directory, "node_modules", name));
    shown = shownIn(directory, SOURCE, { ...strict, ...resolutions.nodenext });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("every option, config key, event field and result completes with a comment", () => {
    // The name of a tag says it all.
    const { tags: _, ...places } = shown.completions;
    const silent = Object.entries(places).flatMap(([place, entries]) =>
      entries.filter(({ documentation }) => documentation === "").map(({ name }) => `${place}.${name}`),
    );
    expect(silent).toEqual([]);
  });

  it.each<[string, object]>([
    ["config", configKeys],
    ["memory", memoryKeys],
    ["tasks", tasksKeys],
    ["type", sharedKeys],
    ["tags", Object.fromEntries(OWN_TAGS.map((tag) => [JSON.stringify(tag), tag]))],
  ])("%s completes with every key", (place, keys) => {
    expect(shown.completions[place]?.map(({ name }) => name).sort()).toEqual(Object.keys(keys).sort());
  });

  it.each(hostTypes)("the event %s has a comment, and completes with its fields", (type) => {
    expect(shown.hovers[type]).not.toBe("");
    const fields = Object.keys(events[type].given.entries).filter((name) => name !== "type");
    expect(shown.completions[`of_${type}`]?.map(({ name }) => name).sort()).toEqual(fields.sort());
  });

  it("every other place completes with something", () => {
    const places = [...SOURCE.matchAll(/\/\*(?!of_)(\w+)\*\//gu)].map(([, name = ""]) => name);
    expect(places.filter((name) => shown.completions[name]?.length === 0)).toEqual([]);
  });

  it.each(Object.keys(resolutions) as (keyof typeof resolutions)[])(
    "options of an own type have the type of their schema, with %s",
    (resolution) => {
      const file = join(directory, `${resolution}.ts`);
      const source = `
import { defineAttachment, type StandardSchema } from "sotto/extend";
import * as v from "valibot";
import { z } from "zod";
declare const mine: StandardSchema<{ every: number }>;
const common = {
  type: "cold", summary: "s", tier: "main_agent", when: "w", needs: ["turns"],
  schema: v.object({ n: v.number() }), examples: [{ title: "t", data: { n: 1 } }],
} as const;
export const one = defineAttachment({
  ...common, examples: [{ title: "t", data: { n: 1 } }], options: v.object({ every: v.optional(v.number(), 3) }),
  trigger: (_f, _s, o) => [{ data: { n: o.every satisfies number } }],
  render: ({ n }, { options }) => n + options.every.toFixed(),
});
export const two = defineAttachment({
  ...common, examples: [{ title: "t", data: { n: 1 } }], options: z.object({ every: z.number().default(3) }),
  trigger: (_f, _s, o) => [{ data: { n: o.every satisfies number } }],
  render: ({ n }, { options }) => n + options.every.toFixed(),
});
export const three = defineAttachment({
  ...common, examples: [{ title: "t", data: { n: 1 } }], options: mine,
  trigger: (_f, _s, o) => [{ data: { n: o.every satisfies number } }],
  render: ({ n }, { options }) => n + options.every.toFixed(),
});
export const four = defineAttachment({
  ...common, examples: [{ title: "t", data: { n: 1 } }], options: v.object({ every: v.optional(v.number(), 3) }),
  // @ts-expect-error there is no such option
  trigger: (_f, _s, o) => [{ data: { n: o.evry } }],
  render: ({ n }) => String(n),
});
`;
      const options = { ...strict, ...resolutions[resolution] };
      const host = ts.createCompilerHost(options);
      const { getSourceFile, fileExists, readFile } = host;
      host.fileExists = (path) => path === file || fileExists(path);
      host.readFile = (path) => (path === file ? source : readFile(path));
      host.getSourceFile = (path, target) =>
        path === file ? ts.createSourceFile(path, source, target) : getSourceFile(path, target);
      const program = ts.createProgram([file], options, host);
      const problems = ts.getPreEmitDiagnostics(program);
      expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))).toEqual(
        [],
      );
    },
  );
});
