// Asks the sources for the facts that a turn needs, under its deadline.

import type { ObservedName } from "../facts/facts.ts";
import { lineageOf } from "../history/branch.ts";
import { listed } from "../log/branches.ts";
import type { Delivery } from "../log/state.ts";
import type { TurnInfo } from "../sources/source.ts";
import type { Observations } from "./ask-sources.ts";
import type { Deadline } from "./deadline.ts";
import type { Engine } from "./engine.ts";
import { currentBranch } from "./read-request.ts";

export interface ObserveOptions {
  /** Default: every fact that an enabled type needs. */
  wanted?: ReadonlySet<string>;
  userPrompt?: string | undefined;
  /** The host says that its user typed the prompt; otherwise it was found in the request. */
  isTyped?: boolean;
  /** A look between turns: changes are recorded, and nothing is sent. */
  isBetween?: boolean;
  deadline: Pick<Deadline, "signal" | "promptSignal">;
}

export function observe(
  engine: Engine,
  { wanted = wantedFacts(engine), deadline, ...look }: ObserveOptions,
): Promise<Observations> | Observations {
  return engine.observer.observe({
    info: turnInfo(engine, look),
    turn: engine.journal.state.turn + 1,
    wanted: wanted as ReadonlySet<ObservedName>,
    deadline,
  });
}

// Settings are replaced, never modified. Sessions with the same settings have the same types.
const wantedBySettings = new WeakMap<Engine["settings"], { main?: Set<string>; sub?: Set<string> }>();

/** Facts that the enabled types for this agent need: no others are looked for. */
export function wantedFacts({
  catalogue,
  settings,
  agent,
}: Pick<Engine, "catalogue" | "settings" | "agent">): ReadonlySet<string> {
  const known = wantedBySettings.get(settings) ?? {};
  const found = known[agent.kind];
  if (found !== undefined) return found;
  const enabled = catalogue.filter(
    ({ type, tier }) => settings.types.get(type)?.enabled && (tier !== "main_agent" || agent.kind === "main"),
  );
  const wanted = new Set<string>(enabled.flatMap(({ needs }) => needs));
  wantedBySettings.set(settings, { ...known, [agent.kind]: wanted });
  return wanted;
}

function turnInfo(
  engine: Engine,
  { userPrompt, isTyped = false, isBetween = false }: Omit<ObserveOptions, "wanted" | "deadline">,
): Omit<TurnInfo, "observed"> {
  const { journal, cwd, id, settings, store, platform } = engine;
  return {
    cwd,
    session: id,
    get facts() {
      return journal.state.facts;
    },
    settings,
    servers: engine.servers(),
    work: platform.work,
    isOffered: (edge) => isOffered(engine, edge),
    sentKeys: (type) => sentKeys(engine, type),
    isHanded: (edge) =>
      !isBetween &&
      listed(journal.state.deliveries).some(
        ([, { state, handed, covers }]) => state === "offered" && handed && covers.includes(edge),
      ),
    record: (events) => engine.record(events, "source"),
    putBlob: (content) => store.putBlob(content),
    getBlob: (hash) => store.getBlob(hash),
    isTyped,
    ...(userPrompt === undefined ? {} : { userPrompt }),
  };
}

/** As far as it can be known without a request: what the current branch has, unless it was abandoned and stands nowhere. */
export function sentKeys({ journal }: Engine, type: string): string[] {
  const { state } = journal;
  const { sees } = lineageOf(state, currentBranch(state));
  return listed(state.deliveries)
    .flatMap(([, one]) => (one.type === type && !one.hidden && stands(one) && sees(one) ? [one] : []))
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ key }) => key ?? []);
}

export function isOffered({ journal }: Engine, edge: string): boolean {
  return listed(journal.state.deliveries).some(([, one]) => stands(one) && one.covers.includes(edge));
}

/** An abandoned delivery with an anchor is still there when its history comes back. */
function stands({ state, anchor }: Delivery): boolean {
  return state !== "abandoned" || anchor !== undefined;
}
