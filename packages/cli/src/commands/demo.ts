// `sotto demo`: a rehearsal before the user's eyes, with what was measured at the end.

import { performance } from "node:perf_hooks";
import process from "node:process";
import { type ExitCode, failed } from "../failure.ts";
import { WINDOW_TOKENS } from "../host/agent-loop.ts";
import type { Measured } from "../host/measure.ts";
import { rehearse } from "../host/rehearsal.ts";
import { createAudience, measuredPage, type Shown } from "../output/rehearsal-page.ts";
import { write, writeJson, writeLine } from "../output/write.ts";

export interface DemoCommand extends Shown {
  keep?: boolean;
  json?: boolean;
}

const WELCOME = `This is a rehearsal: the model is a script on 127.0.0.1, and nothing leaves this machine.
The engine, its log, the files, the processes and the HTTP calls are real. The window is only ${WINDOW_TOKENS} tokens,
so that a short session comes near its end.
`;

export async function demo(command: DemoCommand): Promise<ExitCode> {
  const ending = new AbortController();
  const end = () => ending.abort(failed("ended", "interrupted"));
  process.once("SIGINT", end).once("SIGTERM", end);
  // A reader that has left ends the rehearsal, so that its directory is cleared away.
  let broken: unknown;
  const print = (text: string) =>
    void writeLine(text).catch((error: unknown) => {
      broken ??= error;
      ending.abort(error);
    });
  const quiet = { happened() {}, user() {}, model() {}, turn() {} };
  const from = performance.now();
  try {
    if (!command.json) await write(WELCOME);
    const audience = command.json ? quiet : createAudience(command, print);
    const rehearsed = await rehearse({ audience, signal: ending.signal, keep: command.keep === true });
    const { measured, turns, directory, store } = rehearsed;
    const seconds = (performance.now() - from) / 1000;
    const good = holds(measured);
    if (command.json)
      await writeJson({ good, turns, seconds, ...measured, ...(command.keep ? { store } : {}) });
    else {
      await writeLine(measuredPage(measured, { turns, seconds }));
      await writeLine(command.keep ? kept(store) : `  ${directory} was removed`);
    }
    return good ? 0 : 1;
  } catch (thrown) {
    if (broken !== undefined) throw broken;
    if (ending.signal.aborted) return 130;
    throw thrown;
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

/** Whether the engine kept its promises. */
function holds({
  prefix,
  lost,
  saidTwice,
  stale,
  forgedTags,
  failed: calls,
  retriedWithSameBytes,
}: Measured): boolean {
  return prefix.broken + lost + saidTwice + stale + forgedTags === 0 && retriedWithSameBytes === calls;
}

function kept(store: string): string {
  return `\nLook further:\n  sotto explain --store ${store}\n  sotto log --store ${store}`;
}
