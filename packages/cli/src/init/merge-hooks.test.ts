// Merging into settings: all that is not ours stays to the byte, whatever it looks like.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alike, foreignSettings, mixedSettings, neatStyle, oddJson, oddSpaces } from "../../test/odd-json.ts";
import { type HookGroup, type HookTable, hookTable } from "./hook-table.ts";
import { isOwnHandler, mergeHooks, ownHooks, withoutHooks } from "./merge-hooks.ts";

const table = hookTable("claude-code");
const small: HookTable = {
  Stop: [{ hooks: [{ type: "command", command: "sotto hook codex", timeout: 5 }] }],
};

function merged(text: string | undefined, wanted: HookTable = table): string {
  const result = mergeHooks(text, wanted);
  if ("problem" in result) throw new Error(JSON.stringify(result.problem));
  return result.text;
}

function without(text: string, before?: string): string {
  const result = withoutHooks(text, before);
  if ("problem" in result) throw new Error(JSON.stringify(result.problem));
  return result.text;
}

describe("what is written", () => {
  it("a new file has an event a line", () => {
    expect(merged(undefined, small)).toBe(
      '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "sotto hook codex", "timeout": 5 }] }]\n  }\n}\n',
    );
  });

  it("keeps the file's indentation, its line ends, its last line and the order of its keys", () => {
    const before =
      '{\r\n\t"z": 1.0,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{"hooks": []}\r\n\t\t]\r\n\t},\r\n\t"a": "\\u0041"\r\n}';
    expect(merged(before, small)).toBe(
      '{\r\n\t"z": 1.0,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{"hooks": []},\r\n\t\t\t{ "hooks": [{ "type": "command", "command": "sotto hook codex", "timeout": 5 }] }\r\n\t\t]\r\n\t},\r\n\t"a": "\\u0041"\r\n}',
    );
  });

  it("a file on one line stays on one line", () => {
    expect(merged('{"a":1}', small)).toBe(
      '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"sotto hook codex","timeout":5}]}]}}',
    );
  });

  it("an older wiring of ours is brought up to date, also one that is there twice or for an event no longer used", () => {
    const old = {
      hooks: {
        Stop: [
          {
            hooks: [
              { type: "command", command: "sotto hook codex", timeout: 60 },
              { type: "command", command: "x" },
            ],
          },
          { matcher: "a", hooks: [{ type: "command", command: "sotto hook codex", timeout: 5 }] },
        ],
        PreCompact: [{ hooks: [{ type: "command", command: "sotto", args: ["hook", "codex"] }] }],
      },
    };
    expect(JSON.parse(merged(JSON.stringify(old), small))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }, ...(small.Stop ?? [])] },
    });
  });

  it("what a user has added to our hook stays", () => {
    const text = JSON.stringify({
      hooks: { Stop: [{ hooks: [{ ...small.Stop?.[0]?.hooks[0], statusMessage: "…" }] }] },
    });
    expect(merged(text, small)).toBe(text);
  });

  it("of two tables with one name, the one that counts is changed", () => {
    const text = '{"hooks":{"Stop":[]},"hooks":{"Stop":[],"Stop":[]}}';
    expect(merged(text, small)).toBe(text.replace(/\[\]\}\}$/u, `${JSON.stringify(small.Stop)}}}`));
  });
});

describe("what cannot be taken exactly is not touched", () => {
  it.each([
    ['{\n  // mine\n  "a": 1\n}', { line: 2, column: 3, words: '"/" stands where a name or } was expected' }],
    ['{\n  "a": [1,],\n}', { line: 2, column: 11, words: '"]" stands where a value was expected' }],
    ["", { line: 1, column: 1, words: "it ends here, a value was expected" }],
    ["[]", { line: 1, column: 1, words: "expected an object" }],
    ['{ "hooks": [] }', { line: 1, column: 12, words: "expected an object of hooks" }],
    ['{"hooks":{\n"Stop": {}}}', { line: 2, column: 9, words: "expected an array for Stop" }],
  ])("%j", (text, problem) => {
    expect(mergeHooks(text, small)).toEqual({ problem });
  });

  it("settings nested deeper than anyone writes them", () => {
    const text = `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    expect(mergeHooks(text, small)).toMatchObject({ problem: { line: 1, column: 1 } });
  });
});

describe("for any settings", () => {
  it("merging adds our hooks behind what is there, and changes nothing else", () => {
    fc.assert(
      fc.property(foreignSettings, oddSpaces, (settings, spaces) => {
        const after = JSON.parse(merged(oddJson(settings, spaces)));
        const { hooks = {} } = settings as { hooks?: HookTable };
        const expected = { ...hooks };
        for (const [event, groups] of Object.entries(table))
          expected[event] = [...(hooks[event] ?? []), ...groups];
        expect(after).toEqual({ ...settings, hooks: expected });
        const keys = Object.keys(settings);
        expect(Object.keys(after)).toEqual(keys.includes("hooks") ? keys : [...keys, "hooks"]);
      }),
    );
  });

  it("merging twice is merging once", () => {
    fc.assert(
      fc.property(mixedSettings, oddSpaces, (settings, spaces) => {
        const once = merged(oddJson(settings, spaces));
        expect(merged(once)).toBe(once);
      }),
    );
  });

  it("taking our hooks out again gives the very bytes, as a program wrote them", () => {
    fc.assert(
      fc.property(foreignSettings, neatStyle, fc.boolean(), (settings, style, endsLine) => {
        const text = JSON.stringify(settings, null, style) + (endsLine ? "\n" : "");
        expect(without(merged(text), text)).toBe(text);
      }),
    );
  });

  it("taking out leaves every hook of others, in its order", () => {
    fc.assert(
      fc.property(mixedSettings, oddSpaces, (settings, spaces) => {
        const text = oddJson(settings, spaces);
        const after = JSON.parse(without(merged(text))) as { hooks?: HookTable };
        expect(ownHooks(JSON.stringify(after))).toEqual([]);
        expect(handlersOf(after.hooks)).toEqual(handlersOf((settings as { hooks?: HookTable }).hooks));
        expect({ ...after, hooks: 0 }).toEqual({ ...settings, hooks: 0 });
      }),
    );
  });
});

function handlersOf(hooks: HookTable = {}): unknown[] {
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks: handlers }: HookGroup) =>
      handlers.filter((handler) => !isOwnHandler(handler)).map((handler) => ({ event, matcher, handler })),
    ),
  );
}

it.each(alike)("%s is somebody's own command", (command) => {
  const handler = { type: "command", command };
  expect(isOwnHandler(handler)).toBe(false);
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } });
  expect(merged(text)).toContain(JSON.stringify(handler));
  expect(without(merged(text), text)).toBe(text);
});

it.each([
  { command: "sotto hook codex" },
  { command: "sotto hook codex || true" },
  { command: "sotto hook codex --store /a/b.db" },
  { command: "npx sotto hook codex" },
  { command: "/usr/bin/node '/a b/bin/sotto.js' hook codex" },
  { command: '"$(git rev-parse --show-toplevel)"/node_modules/.bin/sotto hook codex' },
  { command: "/a b/sotto", args: ["hook", "codex"] },
])("$command is ours", (handler) => {
  expect(isOwnHandler({ type: "command", ...handler })).toBe(true);
});
