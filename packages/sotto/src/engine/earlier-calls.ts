// Which tool calls of a request were in an earlier one, by their places: clients change ids, each provider has its own, and
// some have none.

import type { KnownCalls } from "../facts/calls.ts";
import { idIn, idPrint } from "../history/history.ts";
import { branchAt } from "../log/branches.ts";
import { type Hunk, isOnlyAdded, movedTo, type Print } from "../log/hunks.ts";
import type { CallPlace, CallStanding } from "../profiles/observe-calls.ts";
import type { Engine } from "./engine.ts";
import { isLong, readAhead } from "./read-ahead.ts";
import { type Request, readOnBranch } from "./read-request.ts";

/** Undefined if there is no earlier request to compare with. */
export async function standingOfCalls(
  engine: Engine,
  request: Request,
  known: KnownCalls,
): Promise<CallStanding | undefined> {
  const { branches } = engine.journal.state;
  if (Object.values(branches).every(({ prints }) => prints.length === 0)) return undefined;
  return engine.serial(async () => {
    if (isLong(request)) await readAhead(engine, request);
    const { state } = engine.journal;
    const { read, choice } = readOnBranch(engine, request);
    const { chain, messages, kept } = read.history;
    if (kept !== undefined) return undefined;
    const earlier = branchAt(state, choice).prints;
    const originOf = originsIn(earlier.length, read.hunks);
    const printOf = ({ message, nth }: CallPlace): Print | undefined => {
      const from = messages[message - 1] ?? 0;
      // The provider's own calls are not read.
      const calls = chain
        .slice(from, messages[message])
        .flatMap(({ kind, call }, at) => (kind === "call" && call !== undefined ? [from + at] : []));
      const at = calls[nth - 1];
      return at === undefined ? undefined : earlier[originOf(at) ?? -1];
    };
    let prints: Set<string | undefined> | undefined;
    return (place, id) => {
      const print = printOf(place);
      if (print === undefined) return "added";
      const before = idIn(print);
      if (before === (id === undefined ? undefined : idPrint(read.history, id))) return "there";
      prints ??= new Set(known.ids().map((one) => idPrint(read.history, one)));
      // What was not recorded then is recorded now. Calls without an id, and the oldest ones, are not known by their id.
      return before === undefined || known.isPartial || prints.has(before) ? "renamed" : "there";
    };
  });
}

/** Where a block of the later history was in the earlier one. */
function originsIn(length: number, hunks: readonly Hunk[]): (at: number) => number | undefined {
  if (isOnlyAdded(length, hunks)) return (at) => at;
  const origins = new Map(Array.from(movedTo(length, hunks), (at, index) => [at, index]));
  return (at) => origins.get(at);
}
