// A queue of asynchronous tasks that run one after the other. A failure does not stop the next.

const DONE: Promise<unknown> = Promise.resolve();

// A class, as each session has one.
export class Serial {
  #last = DONE;

  run<T>(task: () => Promise<T>): Promise<T> {
    const next = this.#last.then(task, task);
    // Without the result, which may be large.
    this.#last = next.then(done, done);
    return next;
  }
}

function done(): void {}
