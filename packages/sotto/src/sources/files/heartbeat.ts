// Notices that the event loop was blocked, or that events came in a flood: the kernel may then have dropped some
// silently.

export interface Heartbeat {
  start(): void;
  stop(): void;
  /** An event came. */
  count(): void;
  /** Whether events may have been lost since the last call. */
  mayHaveLost(): boolean;
}

const BEAT_MS = 100;
const STALL_MS = 250;
// Half of the kernel's default queue.
const FLOOD = 8192;

/** `clock` must not jump when the time of day is set. */
export function createHeartbeat(clock: () => number): Heartbeat {
  return new Listener(new Pulse(clock));
}

/** The loop is the same for all sessions of a process, so one timer is enough. */
export function heartbeatOfProcess(): Heartbeat {
  return new Listener(processPulse);
}

class Pulse {
  beats = 0;
  stalls = 0;
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #listeners = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  join(): void {
    if (this.#listeners++ > 0) {
      this.feel();
      return;
    }
    this.#last = this.#clock();
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  leave(): void {
    if (--this.#listeners === 0) clearInterval(this.#timer);
  }

  /** Counts the stall that may have just ended. */
  feel(): void {
    const at = this.#clock();
    if (at - this.#last > STALL_MS) this.stalls++;
    this.#last = at;
  }

  #beat(): void {
    this.feel();
    this.beats++;
  }
}

const processPulse = new Pulse(() => performance.now());

class Listener implements Heartbeat {
  readonly #pulse: Pulse;
  #isOn = false;
  /** What is known of the pulse. */
  #stalls = 0;
  #beats = 0;
  /** Since the last beat. */
  #events = 0;
  #isFlooded = false;

  constructor(pulse: Pulse) {
    this.#pulse = pulse;
  }

  start(): void {
    if (this.#isOn) return;
    this.#pulse.join();
    this.#isOn = true;
    this.#stalls = this.#pulse.stalls;
  }

  stop(): void {
    if (this.#isOn) this.#pulse.leave();
    this.#isOn = false;
  }

  count(): void {
    if (this.#beats !== this.#pulse.beats) this.#events = 0;
    this.#beats = this.#pulse.beats;
    if (++this.#events >= FLOOD) this.#isFlooded = true;
  }

  mayHaveLost(): boolean {
    if (!this.#isOn) return false;
    this.#pulse.feel();
    const lost = this.#isFlooded || this.#stalls !== this.#pulse.stalls;
    this.#stalls = this.#pulse.stalls;
    this.#isFlooded = false;
    return lost;
  }
}
