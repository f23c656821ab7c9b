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
  /** What is observed in most sessions: one object for all of them. */
  usual?: ObservedFacts[Name];
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
  protected readonly kind: OnDemandKind<Name, Context>;
  readonly #context: Context;
  #source: Source<Name> | Promise<Source<Name>> | undefined;
  /** The same object is returned for as long as it is equal. */
  #last: ObservedFacts[Name] | undefined;

  constructor(kind: OnDemandKind<Name, Context>, context: Context) {
    this.kind = kind;
    this.#context = context;
  }

  get fact(): Name {
    return this.kind.fact;
  }

  get forPrompt(): boolean {
    return this.kind.forPrompt ?? false;
  }

  get behind(): readonly ObservedName[] {
    return this.kind.behind ?? NONE;
  }

  async warm(): Promise<Source<Name>> {
    this.#source ??= this.kind.load(this.#context).then((source) => {
      this.#source = source;
      return source;
    });
    return this.#source;
  }

  observe(turn: TurnInfo, signal: AbortSignal): Promise<ObservedFacts[Name]> | ObservedFacts[Name] {
    const source = this.#loaded();
    const nothing = source === undefined ? this.kind.nothing?.(turn) : undefined;
    if (nothing !== undefined) return this.#keep(nothing);
    const answer = source?.observe(turn, signal) ?? this.warm().then((one) => one.observe(turn, signal));
    return answer instanceof Promise ? answer.then((value) => this.#keep(value)) : this.#keep(answer);
  }

  problems(): readonly Problem[] {
    return this.#loaded()?.problems?.() ?? [];
  }

  async sleep(): Promise<void> {
    const source = this.#loaded();
    if (source?.sleep === undefined) return;
    await source.sleep();
    this.#last = undefined;
  }

  async close(): Promise<void> {
    await (await this.#source)?.close?.();
  }

  #loaded(): Source<Name> | undefined {
    return this.#source instanceof Promise ? undefined : this.#source;
  }

  #keep(value: ObservedFacts[Name]): ObservedFacts[Name] {
    this.#last = sameIfEqual(this.#last ?? this.kind.usual, value);
    return this.#last;
  }
}

class Preparing<Name extends ObservedName, Context> extends OnDemand<Name, Context> {
  async prepare(event: StoredEvent): Promise<StoredEvent> {
    if (this.kind.prepares?.has(event.type) !== true) return event;
    return (await (await this.warm()).prepare?.(event)) ?? event;
  }
}
