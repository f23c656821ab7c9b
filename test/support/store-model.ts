// A store in a few lines of plain code, and the property that a real one does the same.

import fc from "fast-check";
import { expect } from "vitest";
import type { AppendResult, Batch, Store } from "../../packages/sotto/src/log/entries.ts";
import { runs } from "./runs.ts";
import { note } from "./store-notes.ts";

const session = fc.constantFrom("first", "second", "drittes ü ✓");
const keys = fc.uniqueArray(fc.constantFrom("k1", "k2", "k3", "käy ' \" ; --"), { maxLength: 3 });
const owner = fc.constantFrom("elsewhere:1:a", "elsewhere:1:b", "elsewhere:2:a");

const where = { session, handle: fc.nat(1) };
/** How far off the end of the log is from where the writer takes it to be. */
const off = fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined });

const full = fc.record({
  ...where,
  entries: fc.array(fc.nat(1000), { maxLength: 3 }),
  /** How much later than the step before. */
  later: fc.nat(20),
  claim: fc.option(fc.record({ keys, owner, lasts: fc.integer({ min: -5, max: 40 }) }), { nil: undefined }),
  settle: fc.option(keys, { nil: undefined, freq: 3 }),
  release: fc.option(fc.record({ keys, owner }), { nil: undefined }),
  off,
});
/** Most batches are a single entry. */
const plain = fc.record({ ...where, entry: fc.nat(1000), off }).map(({ entry, ...rest }) => ({
  ...{ ...rest, entries: [entry], later: 1 },
  ...{ claim: undefined, settle: undefined, release: undefined },
}));
const step = fc.oneof(full, plain);

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
      for (const { session, handle, entries, later, claim, settle, release, off } of steps) {
        now += later;
        const state = model.get(session) ?? { texts: [], held: new Map(), settled: new Set() };
        const batch: Batch = {
          entries: entries.map(note),
          ...(claim && {
            claim: { keys: claim.keys, owner: claim.owner, now, expiresAt: now + claim.lasts },
          }),
          ...(settle && { settle }),
          ...(release && { release }),
          ...(off !== undefined && { behind: Math.max(0, state.texts.length + off) }),
        };
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
