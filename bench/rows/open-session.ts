// Opening a session with a long log and taking a turn: a snapshot and what came after it, against reading the transcript.

import type { Bench } from "../bench.ts";
import { createLongLog } from "../inputs/long-log.ts";

const ENTRIES = 100_000;

export async function measure(bench: Bench): Promise<void> {
  const log = await createLongLog();
  try {
    await log.fill(ENTRIES);
    await log.open();
    await bench.row({
      name: `open a session of ${ENTRIES.toLocaleString("en")} entries and take a turn, SQLite`,
      unit: "ms",
      baseline: "parse the transcript, a line an entry, and count",
      ours: log.open,
      theirs: log.readTranscript,
    });
  } finally {
    log.remove();
  }
}
