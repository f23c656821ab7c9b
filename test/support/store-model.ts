// A store in a few lines of plain code, and the property that a real one does the same.

import fc from "fast-check";
import { expect } from "vitest";
import type { AppendResult, Batch, Store } from "../../packages/sotto/src/log/entries.ts";
import { runs } from "./runs.ts";
import { note } from "./store-notes.ts";

const session = fc.constantFrom("first", "second", "drittes ü ✓");
const keys = fc.uniqueArray(fc.constantFrom("k1", "k2", "k3", "käy ' \" ; --"), { maxLength: 3 });
const owner = fc.constantFrom("elsewhere:1:a", "elsewhere:1:b", "elsewhere:2:a");

const step = fc.record({
  session,
  handle: fc.nat(1),
  entries: fc.array(fc.nat(1000), { maxLength: 3 }),
  /** How much later than the step before. */
  later: fc.nat(20),
  claim: fc.option(fc.record({ keys, owner, lasts: fc.integer({ min: -5, max: 40 }) }), { nil: undefined }),
  settle: fc.option(keys, { nil: undefined, freq: 3 }),
  release: fc.option(fc.record({ keys, owner }), { nil: undefined }),
});

interface ModelSession {
  texts: number[];
  held: Map<string, { owner: string; until: number }>;
  settled: Set<string>;
}

export async function checkAgainstModel(handles: readonly [Store, Store]): Promise<void> {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const prefix = `run ${run++} `;
      const model = new Map<string, ModelSession>();
      let now = 1000;
      for (const { session, handle, entries, later, claim, settle, release } of steps) {
        now += later;
        const batch: Batch = {
          entries: entries.map(note),
          ...(claim && {
            claim: { keys: claim.keys, owner: claim.owner, now, expiresAt: now + claim.lasts },
          }),
          ...(settle && { settle }),
          ...(release && { release }),
        };
        const state = model.get(session) ?? { texts: [], held: new Map(), settled: new Set() };
        model.set(session, state);
        const expected = appendToModel(state, batch, entries);
        expect(await handles[handle === 0 ? 0 : 1].append(prefix + session, batch)).toEqual(expected);
      }
      for (const [session, { texts }] of model) {
        const entries = texts.map((n, index) => ({ ...note(n), seq: index + 1 }));
        const read = { entries, damaged: [], last: entries.length };
        for (const store of handles) expect(await store.read(prefix + session, 0)).toEqual(read);
        const summary = (await handles[0].sessions()).find(({ id }) => id === prefix + session);
        const [first, last] = [entries[0], entries.at(-1)];
        expect(summary).toEqual(
          first && last
            ? { id: prefix + session, entries: texts.length, firstAt: first.at, lastAt: last.at }
            : undefined,
        );
      }
    }),
    runs(150),
  );
}

function appendToModel(
  state: ModelSession,
  { claim, settle, release }: Batch,
  texts: number[],
): AppendResult {
  const taken = (claim?.keys ?? []).filter((key) => {
    const held = state.held.get(key);
    return state.settled.has(key) || (held && held.owner !== claim?.owner && held.until > (claim?.now ?? 0));
  });
  if (taken.length > 0) return { ok: false, taken };
  const first = state.texts.length + 1;
  state.texts.push(...texts);
  for (const key of claim?.keys ?? [])
    state.held.set(key, { owner: claim?.owner ?? "", until: claim?.expiresAt ?? 0 });
  for (const key of settle ?? []) state.settled.add(key);
  for (const key of release?.keys ?? []) {
    if (state.held.get(key)?.owner === release?.owner) state.held.delete(key);
  }
  return { ok: true, first, last: state.texts.length };
}
