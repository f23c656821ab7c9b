// What a host keeps on disk: its history, replaced as a whole, and synchronous notes that outlive a kill.

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Canary } from "./canaries.ts";
import type { Reach } from "./points.ts";
import type { Message } from "./wire.ts";

export interface Kept {
  messages: Message[];
  /** Ids of the reminders that the host placed in them itself. */
  placed: string[];
}

export interface HostDisk {
  store: string;
  load(): Kept | undefined;
  save(kept: Kept): void;
  /** Before it is recorded: this happened. */
  intend(canary: Canary): void;
  /** After `record` has resolved: the engine has it. */
  acknowledge(canary: Canary): void;
  intended(): Canary[];
  acknowledged(): Set<string>;
  /** A fault that the host went through. */
  fault(kind: string): void;
  faults(): string[];
}

export function createHostDisk(directory: string, reach: Reach = () => undefined): HostDisk {
  const file = (name: string) => join(directory, name);
  const history = file("history.json");
  const append = (name: string, line: string) => appendFileSync(file(name), `${line}\n`);
  const lines = (name: string) =>
    existsSync(file(name)) ? readFileSync(file(name), "utf8").split("\n").filter(Boolean) : [];
  return {
    store: file("store.db"),
    load: () => (existsSync(history) ? JSON.parse(readFileSync(history, "utf8")) : undefined),
    save(kept) {
      writeFileSync(`${history}.new`, JSON.stringify(kept));
      reach("inside-save");
      renameSync(`${history}.new`, history);
    },
    intend: (canary) => append("intended.jsonl", JSON.stringify(canary)),
    acknowledge: ({ word }) => append("acknowledged.txt", word),
    intended: () => lines("intended.jsonl").map((line) => JSON.parse(line)),
    acknowledged: () => new Set(lines("acknowledged.txt")),
    fault: (kind) => append("faults.txt", kind),
    faults: () => lines("faults.txt"),
  };
}
