// What people read names a reminder by its type, never by its generator, which only config and JSON know.

import { createMemoryStore, createSession } from "sotto";
import { catalogue, explain } from "sotto/inspect";
import { createStyle } from "sotto-agent/terminal";
import { describe, expect, onTestFinished, test } from "vitest";
import { outcomeTable } from "../output/turn-result.ts";
import { turnInFull, typeThroughTurns } from "./explain.ts";

const types = new Set(catalogue.map(({ type }) => type));
const differing = catalogue.filter(({ type, generator }) => generator !== type);
const generators = [...new Set(differing.map(({ generator }) => generator))].filter(
  (name) => !types.has(name),
);
const off = Object.fromEntries(generators.map((name) => [name, false]));
const look = { style: createStyle({ isTTY: false }), width: 200, text: true, all: true };

async function oneTurn(attachments: Record<string, boolean>) {
  const store = createMemoryStore();
  const session = createSession({
    cwd: "/nowhere",
    id: "names",
    store,
    configFiles: { read: false },
    config: { attachments },
  });
  onTestFinished(() => session.close());
  const { trace } = await session.turn({});
  const { entries } = await store.read("names", 0);
  return { trace, turns: explain(entries) };
}

test("there are such types, and such generators", () => {
  expect(differing.length).toBeGreaterThan(20);
  expect(generators).toContain("changed_files");
});

describe.each([
  ["on", {}],
  ["switched off by their generators", off],
])("%s", (_, attachments) => {
  test.each(differing.map(({ type }) => type))("%s", async (type) => {
    const { trace, turns } = await oneTurn(attachments);
    const shown = [
      outcomeTable(trace, { style: look.style, width: look.width, indent: "" }),
      ...turns.map((turn) => turnInFull(turn, look)),
      typeThroughTurns(turns, type, look),
    ];
    for (const page of shown) {
      expect(page).toMatch(new RegExp(`\\b${type}\\b`, "u"));
      expect(generators.filter((name) => new RegExp(`\\b${name}\\b`, "u").test(page))).toEqual([]);
    }
  });
});
