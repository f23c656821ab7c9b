// Where the gateway's log goes: for people a line of words on stderr, for programs (--json) one of JSON, through pino.

import process from "node:process";
import type { LogLine } from "sotto-gateway";
import { note } from "../output/write.ts";
import { LOG_LEVELS, type LogLevel } from "./log-levels.ts";
import { lineWords } from "./log-words.ts";

export interface Logger {
  (line: LogLine): void;
  /** Lines below this level are left out from now on. */
  level(level: LogLevel): void;
  /** Writes what is still to be written. */
  flush(): void;
}

export async function createLogger({ json = false }: { json?: boolean | undefined }): Promise<Logger> {
  return json ? jsonLogger() : wordsLogger();
}

/** Only loaded when it is needed. */
async function jsonLogger(): Promise<Logger> {
  const { default: pino } = await import("pino");
  // A reader that is slow or gone holds no request up: what it does not take is dropped.
  const out = pino.destination({ dest: process.stderr.fd, sync: false, maxLength: 4 * 2 ** 20 });
  out.on("error", () => undefined);
  const logger = pino(
    {
      base: null,
      messageKey: "message",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    out,
  );
  const log = ({ level, message, ...fields }: LogLine) => logger[level](fields, message);
  return Object.assign(log, {
    level(level: LogLevel) {
      logger.level = level;
    },
    flush() {
      try {
        out.flushSync();
      } catch {
        // The reader is gone.
      }
    },
  });
}

function wordsLogger(): Logger {
  let least = 0;
  const log = (line: LogLine) => {
    if (LOG_LEVELS.indexOf(line.level) >= least) note(lineWords(line));
  };
  return Object.assign(log, {
    level(level: LogLevel) {
      least = LOG_LEVELS.indexOf(level);
    },
    flush() {},
  });
}
