// A store whose calls end: one that gets no answer counts as failed, so that no session waits for it forever.

import { SottoError } from "../platform/errors.ts";
import type { Platform } from "../platform/platform.ts";
import type { Store } from "./entries.ts";

type Clock = Pick<Platform, "monotonic" | "backgroundTimer">;

// Longer than any store takes that still works.
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 1000;

const BOUNDED: ReadonlySet<unknown> = new Set<keyof Store>([
  ...(["append", "read", "snapshot", "saveSnapshot", "putBlob", "getBlob"] as const),
]);

/** The same store; what becomes of a call that counts as failed is unknown, as with any other failure. */
export function answering(store: Store, clock: Clock): Store {
  const calls = callsOf(clock);
  // A server has one for thousands of sessions.
  const answering = calls.stores.get(store) ?? new Proxy(store, calls);
  calls.stores.set(store, answering);
  return answering;
}

interface Waiting {
  until: number;
  giveUp(): void;
}

/** The calls of a process that wait, with one timer for all of them. */
class Calls implements ProxyHandler<Store> {
  /** What sessions get in place of a store. */
  readonly stores = new WeakMap<Store, Store>();
  readonly #waiting = new Set<Waiting>();
  readonly #clock: Clock;
  #isTimed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Made for each call: a session makes few, and one that has a store of its own would keep them. */
  get(store: Store, name: string | symbol): unknown {
    const value: unknown = Reflect.get(store, name);
    if (typeof value !== "function") return value;
    const call = (...given: unknown[]): unknown => Reflect.apply(value, store, given);
    if (!BOUNDED.has(name)) return call;
    const { patienceMs = PATIENCE_MS } = store;
    return (...given: unknown[]) =>
      this.within(patienceMs, String(name), async () => call(...given) as unknown);
  }

  within<T>(ms: number, name: string, run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const words = `the store did not answer (${name}) within ${Math.round(ms / 1000)} s`;
      const one: Waiting = {
        until: this.#clock.monotonic() + ms,
        giveUp: () => reject(new SottoError("store_failed", words)),
      };
      this.#waiting.add(one);
      if (!this.#isTimed) this.#lookLater();
      run()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(one));
    });
  }

  #lookLater(): void {
    this.#isTimed = true;
    this.#clock.backgroundTimer(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    this.#isTimed = false;
    for (const one of this.#waiting) {
      if (this.#clock.monotonic() < one.until) continue;
      this.#waiting.delete(one);
      one.giveUp();
    }
    if (this.#waiting.size > 0) this.#lookLater();
  }
}

const callsBy = new WeakMap<Clock, Calls>();

function callsOf(clock: Clock): Calls {
  const calls = callsBy.get(clock) ?? new Calls(clock);
  callsBy.set(clock, calls);
  return calls;
}
