// Records what the tool calls in a request did: files that were read and written, commands, todo lists, modes.

import { commandCalls, finishedCalls } from "../facts/calls.ts";
import type { EventOf, RequestEvent, StoredEvent } from "../facts/events.ts";
import { bothEdits } from "../platform/text-edits.ts";
import type { SeenUse } from "../profiles/observe-calls.ts";
import { eventsOfUse, type ToolUse } from "../profiles/tool-events.ts";
import type { Deadline } from "./deadline.ts";
import { standingOfCalls } from "./earlier-calls.ts";
import type { Engine } from "./engine.ts";
import { parentsPart } from "./parents-part.ts";
import type { Request } from "./read-request.ts";

/**
 * Records what the agent read, wrote and ran, as far as the request shows it: its own changes are no news. Without a
 * profile only what the host does not record itself, or it would count twice.
 */
export async function recordToolCalls(
  engine: Engine,
  request: Request | undefined,
  deadline: Pick<Deadline, "enter">,
): Promise<void> {
  const { profile, tools, calls } = engine;
  if (request === undefined) return;
  let uses: readonly ToolUse[] = [];
  try {
    deadline.enter("request");
    const fact = engine.journal.state.facts.calls;
    const isToldRest = profile === undefined && fact.told === true;
    const isToldCommands = profile === undefined && fact.toldCommands === true;
    const finished = isToldRest ? commandCalls(fact) : finishedCalls(fact);
    const read = calls.read(request);
    // A call in a message that is new is new, unless it is known under its id.
    const isUnsure = read.uses.some(({ callId }) => read.isWhole || finished.has(callId));
    const standing = isUnsure ? await standingOfCalls(engine, request, finished) : undefined;
    const { fresh, renamed } = calls.sort(read.uses, finished, standing);
    uses = [...fresh, ...renamed];
    const { calls: parents, files } = await parentsPart(engine, request, fresh);
    const others = new Set(renamed.concat(parents));
    const known: StoredEvent[] = [];
    if (others.size > 0) known.push(knownCalls(others));
    if (files.length > 0) known.push({ type: "files_inherited", files });
    if (known.length > 0) await engine.record(known, "engine");
    uses = fresh.filter((use) => !others.has(use));
    if (uses.length === 0 || (isToldRest && isToldCommands)) return;
    tools.wordsFor(request, calls.called);
    const eventsOf = (use: ToolUse): RequestEvent[] => {
      const found = eventsOfUse(tools.meaning(use.name, use.input), use);
      const news = found.filter(({ type }) => !(type === "command_ran" ? isToldCommands : isToldRest));
      return profile === undefined ? news.map((event) => ({ ...event, fromRequest: true })) : news;
    };
    deadline.enter("log");
    await engine.recordParts(inParts(uses, eventsOf));
  } catch {
    // The store may be back with the next turn. If the request itself is wrong, the turn reports that.
    calls.forget(uses);
  }
}

function knownCalls(uses: ReadonlySet<SeenUse>): EventOf<"calls_known"> {
  return { type: "calls_known", ids: Array.from(uses, ({ callId }) => callId) };
}

// In calls: to record a part takes some ten milliseconds.
const PART = 100;

/** A conversation that began long ago may have thousands. */
function* inParts(
  uses: readonly ToolUse[],
  eventsOf: (use: ToolUse) => RequestEvent[],
): Generator<RequestEvent[]> {
  for (let from = 0; from < uses.length; from += PART)
    yield togetherByFile(uses.slice(from, from + PART).flatMap(eventsOf));
}

/** A file that is edited several times in a row is read once. */
function togetherByFile(events: readonly RequestEvent[]): RequestEvent[] {
  const all: RequestEvent[] = [];
  let last: EventOf<"file_written"> | undefined;
  for (const event of events) {
    if (event.type === "file_read" || event.type === "file_removed") last = undefined;
    if (event.type !== "file_written") {
      all.push(event);
      continue;
    }
    const { edits: own, ...rest } = event;
    const isAgain = last !== undefined && last.path === event.path;
    if (isAgain) all.splice(all.lastIndexOf(last as RequestEvent), 1);
    const edits = isAgain ? bothEdits(last?.edits, own) : own;
    last = edits === undefined ? rest : { ...rest, edits, unproven: true as const };
    all.push(last);
  }
  return all;
}
