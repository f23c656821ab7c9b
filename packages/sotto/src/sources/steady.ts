// A source whose value is the same object for as long as it is equal: who compares by identity sees that nothing changed.

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

/** For plain data; anything else is equal only to itself. */
function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  if (!isPlain(one) || !isPlain(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

function isPlain(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype;
}
