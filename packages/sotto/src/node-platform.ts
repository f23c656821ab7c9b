// Time, randomness and hashing as Node gives them.

import type { Platform } from "./core/platform.ts";
import { openTelemetry } from "./open-telemetry.ts";
import type { WorkerPool } from "./sources/worker.ts";
import { isOwnerAlive } from "./stores/owner-alive.ts";

// Loaded on first use: node:crypto alone takes as long to load as the rest of the library.
const crypto = () => process.getBuiltinModule("node:crypto");

const hash = (text: string) => crypto().createHash("sha256").update(text).digest("base64url").slice(0, 32);

let pool: Promise<WorkerPool> | undefined;

export const nodePlatform: Platform = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  uuid: () => crypto().randomUUID(),
  random: () => Math.random(),
  hash,
  toBase64: (bytes) => Buffer.from(bytes).toString("base64"),
  fromBase64: (text) => Buffer.from(text, "base64"),
  get owner() {
    return `${process.getBuiltinModule("node:os").hostname()}:${process.pid}:`;
  },
  isOwnerAlive,
  async work(job) {
    // One pool for the whole process, loaded when there is work for it.
    pool ??= import("./sources/worker.ts").then(({ createWorkerPool }) => createWorkerPool({ hash }));
    return (await pool).run(job);
  },
  telemetry: openTelemetry,
};
