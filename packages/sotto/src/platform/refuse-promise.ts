// Functions of a host that must answer at once, and those that may answer later.

/** Throws if what a host's function returned has to be waited for. Nobody would see that promise reject: it is caught. */
export function refusePromise(value: unknown, problem: string): void {
  if (!isThenable(value)) return;
  void waitedFor(value).catch(() => undefined);
  throw new Error(problem);
}

/** A real promise: what a host returned may have methods of its own. */
export async function waitedFor(value: PromiseLike<unknown>): Promise<unknown> {
  return await value;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
