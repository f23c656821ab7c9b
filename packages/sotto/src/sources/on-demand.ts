// A source that is loaded on first use: importing the library stays fast, and a session has in memory only what it uses.

import type { StoredEvent } from "../facts/events.ts";
import type { ObservedFacts, ObservedName } from "../facts/facts.ts";
import type { Problem } from "../platform/errors.ts";
import type { Source, TurnInfo } from "./source.ts";
import { sameIfEqual } from "./steady.ts";

/** The same for all sessions; what is a session's own is in the context. */
export interface OnDemandKind<Name extends ObservedName, Context> {
  fact: Name;
  forPrompt?: boolean;
  behind?: readonly ObservedName[];
  load(context: Context): Promise<Source<Name>>;
  /** The answer for turns in which there is nothing to look at: the source is not even loaded for them. */
  nothing?(turn: TurnInfo): ObservedFacts[Name] | undefined;
  /** The types of events that it completes: only these load it before it is observed. */
  prepares?: ReadonlySet<string>;
}

export function onDemand<Name extends ObservedName, Context>(
  kind: OnDemandKind<Name, Context>,
  context: Context,
): Source<Name> {
  return kind.prepares === undefined ? new OnDemand(kind, context) : new Preparing(kind, context);
}

const NONE: readonly ObservedName[] = [];

// A class, as each session has a dozen of them, most of which do nothing.
class OnDemand<Name extends ObservedName, Context> implements Source<Name> {
  readonly behind: readonly ObservedName[];
  protected readonly kind: OnDemandKind<Name, Context>;
  readonly #context: Context;
  #source: Source<Name> | undefined;
  #loading: Promise<Source<Name>> | undefined;
  /** The same object is returned for as long as it is equal. */
  #last: ObservedFacts[Name] | undefined;

  constructor(kind: OnDemandKind<Name, Context>, context: Context) {
    this.behind = kind.behind ?? NONE;
    this.kind = kind;
    this.#context = context;
  }

  get fact(): Name {
    return this.kind.fact;
  }

  get forPrompt(): boolean {
    return this.kind.forPrompt ?? false;
  }

  warm(): Promise<Source<Name>> {
    if (this.#source !== undefined) return Promise.resolve(this.#source);
    this.#loading ??= this.kind.load(this.#context).then((source) => {
      this.#source = source;
      this.#loading = undefined;
      return source;
    });
    return this.#loading;
  }

  observe(turn: TurnInfo, signal: AbortSignal): Promise<ObservedFacts[Name]> | ObservedFacts[Name] {
    if (this.#source === undefined) {
      const nothing = this.kind.nothing?.(turn);
      if (nothing !== undefined) return this.#keep(nothing);
    }
    const answer =
      this.#source?.observe(turn, signal) ?? this.warm().then((source) => source.observe(turn, signal));
    return answer instanceof Promise ? answer.then((value) => this.#keep(value)) : this.#keep(answer);
  }

  problems(): readonly Problem[] {
    return this.#source?.problems?.() ?? [];
  }

  async sleep(): Promise<void> {
    if (this.#source?.sleep === undefined) return;
    await this.#source.sleep();
    this.#last = undefined;
  }

  async close(): Promise<void> {
    await (this.#source ?? (await this.#loading))?.close?.();
  }

  #keep(value: ObservedFacts[Name]): ObservedFacts[Name] {
    this.#last = sameIfEqual(this.#last, value);
    return this.#last;
  }
}

class Preparing<Name extends ObservedName, Context> extends OnDemand<Name, Context> {
  async prepare(event: StoredEvent): Promise<StoredEvent> {
    if (this.kind.prepares?.has(event.type) !== true) return event;
    return (await (await this.warm()).prepare?.(event)) ?? event;
  }
}
