// Which tool calls of a request were in an earlier one, by their places: clients change ids, each provider has its own, some
// have none, and some count them anew in each answer.

import type { KnownCalls } from "../facts/calls.ts";
import { idIn, idPrint, printsOf } from "../history/history.ts";
import { type Branch, branchAt } from "../log/branches.ts";
import { type Hunk, isOnlyAdded, movedTo, type Print } from "../log/hunks.ts";
import type { CallPlace, CallStanding, SeenUse } from "../profiles/observe-calls.ts";
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
    const indexOf = ({ message, nth }: CallPlace): number => {
      const from = messages[message - 1] ?? 0;
      // The provider's own calls are not read.
      const calls = chain
        .slice(from, messages[message])
        .flatMap(({ kind, call }, at) => (kind === "call" && call !== undefined ? [from + at] : []));
      return calls[nth - 1] ?? -1;
    };
    let contents: Map<string, Set<string>> | undefined;
    // The same call may come back that an earlier request had and the last one had not.
    const isOfAnother = (id: string, at: number) => {
      if (known.has(`${id}:2`)) return true;
      contents ??= contentsById(Object.values(branches));
      const [name = "", content = ""] = idAndContent(printsOf(read.history, at, at + 1)[0]);
      const before = contents.get(name);
      return before !== undefined && before.size > (before.has(content) ? 1 : 0);
    };
    let prints: Set<string | undefined> | undefined;
    return ({ place, id, callId }: SeenUse) => {
      const at = indexOf(place);
      const print = earlier[originOf(at) ?? -1];
      if (print === undefined)
        return id !== undefined && at >= 0 && known.has(callId) && isOfAnother(id, at) ? "again" : "added";
      const before = idIn(print);
      if (before === (id === undefined ? undefined : idPrint(read.history, id))) return "there";
      prints ??= new Set(known.ids().map((one) => idPrint(read.history, one)));
      // What was not recorded then is recorded now. Calls without an id, and the oldest ones, are not known by their id.
      return before === undefined || known.isPartial || prints.has(before) ? "renamed" : "there";
    };
  });
}

/** What was in the calls under each id. */
function contentsById(branches: readonly Branch[]): Map<string, Set<string>> {
  const contents = new Map<string, Set<string>>();
  for (const { prints } of branches)
    for (const print of prints) {
      const [id, content] = print[1] === "c" ? idAndContent(print) : [];
      if (id !== undefined && content !== undefined)
        contents.set(id, (contents.get(id) ?? new Set()).add(content));
    }
  return contents;
}

function idAndContent(print: Print = ""): [id: string, content: string] | [] {
  const [, id, content] = /#([^=]*)=(.*)/u.exec(print) ?? [];
  return id === undefined || content === undefined ? [] : [id, content];
}

/** Where a block of the later history was in the earlier one. */
function originsIn(length: number, hunks: readonly Hunk[]): (at: number) => number | undefined {
  if (isOnlyAdded(length, hunks)) return (at) => at;
  const origins = new Map(Array.from(movedTo(length, hunks), (at, index) => [at, index]));
  return (at) => origins.get(at);
}
