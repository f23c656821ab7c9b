// A source whose code is loaded when it is first asked: importing the library stays light.

import type { ObservedName } from "../facts/facts.ts";
import type { Source } from "./source.ts";

type Face<Name extends ObservedName> = Pick<Source<Name>, "fact" | "forPrompt" | "behind">;

export interface OnDemandOptions {
  /** Whether it completes events: only such a source is loaded for them. */
  prepares?: ReadonlySet<string>;
}

export function onDemand<Name extends ObservedName>(
  face: Face<Name>,
  load: () => Promise<Source<Name>>,
  { prepares }: OnDemandOptions = {},
): Source<Name> {
  let loading: Promise<Source<Name>> | undefined;
  let there: Source<Name> | undefined;
  const loaded = () => {
    loading ??= load().then((source) => {
      there = source;
      return source;
    });
    return loading;
  };
  return {
    ...face,
    warm: loaded,
    observe: async (turn, signal) => (await loaded()).observe(turn, signal),
    ...(prepares === undefined
      ? {}
      : {
          prepare: async (event) =>
            prepares.has(event.type) ? ((await (await loaded()).prepare?.(event)) ?? event) : event,
        }),
    problems: () => there?.problems?.() ?? [],
    async close() {
      await (await loading)?.close?.();
    },
  };
}
