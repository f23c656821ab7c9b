// Requests that arrive as text are new objects each time: what stood in an earlier one is that one's objects again.

/** The engine reads only messages it has not seen, and knows them by their object. */
export type Recall = (messages: readonly unknown[]) => readonly unknown[];

// Conversations that take turns on one client: a few sub-agents, each with its own history.
const HISTORIES_MOST = 4;

export function createRecall(): Recall {
  const histories: (readonly unknown[])[] = [];
  return (messages) => {
    const shared = histories.map((history) => sharedLength(history, messages));
    const longest = Math.max(0, ...shared);
    const at = longest === 0 ? -1 : shared.indexOf(longest);
    const [known = []] = at < 0 ? [] : histories.splice(at, 1);
    const recalled = [...known.slice(0, longest), ...messages.slice(longest)];
    histories.unshift(recalled);
    histories.splice(HISTORIES_MOST);
    return recalled;
  };
}

function sharedLength(one: readonly unknown[], other: readonly unknown[]): number {
  let length = 0;
  while (length < one.length && length < other.length && isSame(one[length], other[length])) length++;
  return length;
}

/** Both came from JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  const others = Object.keys(other);
  return (
    keys.length === others.length &&
    // The order of keys, too: what is sent has to be what was given.
    keys.every(
      (key, index) =>
        key === others[index] &&
        isSame((one as Record<string, unknown>)[key], (other as typeof one)[key as never]),
    )
  );
}
