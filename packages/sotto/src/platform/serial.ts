// One after the other: a queue of asynchronous work in which a failure stops nobody else.

export type Serial = <T>(run: () => Promise<T>) => Promise<T>;

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => undefined);
    return next;
  };
}
