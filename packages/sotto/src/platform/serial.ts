// A queue of asynchronous tasks that run one after the other. A failure does not stop the next.

export type Serial = <T>(run: () => Promise<T>) => Promise<T>;

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    // Without the result, which may be large.
    last = next.then(done, done);
    return next;
  };
}

function done(): void {}
