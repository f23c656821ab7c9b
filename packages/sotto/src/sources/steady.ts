// A source whose value is the same object for as long as it is equal: who compares by identity sees that nothing changed.

import { isEqual } from "../platform/plain-data.ts";
import type { Source } from "./source.ts";

export function steady<Steady extends Source>(source: Steady): Steady {
  type Value = ReturnType<Source["observe"]>;
  let last: Value | undefined;
  const keep = (value: Value): Value => {
    last = sameIfEqual(last, value);
    return last;
  };
  return {
    ...source,
    observe(turn, signal) {
      const answer = source.observe(turn, signal);
      return answer instanceof Promise ? answer.then(keep) : keep(answer);
    },
  };
}

/** The earlier value if the new one is equal to it, otherwise the new one. */
export function sameIfEqual<Value>(earlier: Value | undefined, value: Value): Value {
  return earlier !== undefined && isEqual(earlier, value) ? earlier : value;
}
