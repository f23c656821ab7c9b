// A session's requests begin one after the other, as they came; once begun they run side by side.

export interface Step<T> {
  /** What has to be known before it begins. */
  prepare?: () => Promise<void>;
  begin: () => Promise<T>;
}

export type Queue = <T>(step: Step<T>) => Promise<T>;

/** The first one begins when `opening` is over; where that fails, all fail. */
export function createQueue(opening: Promise<unknown>): Queue {
  let before: Promise<unknown> = Promise.resolve();
  return async ({ prepare, begin }) => {
    const begun = before.then(async () => {
      await opening;
      await prepare?.();
      // In an object: the next one must not wait until it is done.
      return { done: begin() };
    });
    before = begun.catch(() => undefined);
    return (await begun).done;
  };
}
