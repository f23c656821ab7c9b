// `sotto serve --stdio`: sessions for hosts in other languages, one JSON-RPC message per line.

import { once } from "node:events";
import process from "node:process";
import type { ExitCode } from "sotto-agent/terminal";
import { note, onClosedOutput, write } from "../output/write.ts";
import { createLineSplitter, type Line } from "../serve/messages.ts";
import { createServer, type Server } from "../serve/server.ts";
import { startReporting } from "../telemetry/otlp.ts";
import { version } from "../version.ts";
import { type Define, examples } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(SERVE)
    .requiredOption("--stdio", "use stdin and stdout, the only transport")
    .addHelpText(
      "after",
      examples(
        "sotto serve --stdio",
        `echo '{"jsonrpc":"2.0","id":1,"method":"initialize"}' \\\n| sotto serve --stdio`,
      ),
    )
    .action(action(serve));

const SERVE = `Serves sessions to a host in any language: JSON-RPC 2.0, one message per line.

  initialize        version, methods, dialects and events of this server
  session/open      {"id"?, "cwd"?, "store"?, "config"?, …} → {"session"};
                    with an id it is stored, as with sotto turn --session
  session/record    {"session", "event" or "events"}; may be a notification
  turn              {"session", "body" or "messages"?, "dialect"?, …} →
                    {"turn", "request", "reminders", "trace", …}
  turn/commit       {"turn", "answerId"?}: the model answered
  turn/abandon      {"turn"}: the call failed, its reminders stay due
  session/…         subagent, fork, beforeWrite, allows, mode, todos,
                    withoutReminders, reset, close
  shutdown          closes everything, then exits

Replies may come in any order. The server exits when stdin ends, on SIGTERM and
on Ctrl-C, once running calls are done. \`sotto turn --schema\` prints the JSON
Schema of all messages.`;

/** Requests of tens of megabytes happen; a longer line is a mistake. */
const LINE_BYTES = 64 * 2 ** 20;
/** Stop reading when this much output waits for a host that does not read. */
const MOST_WAITING_BYTES = 64 * 2 ** 20;
const MOST_RUNNING = 1000;
/** For running calls, for closing, and for the host to read the last replies. */
const PATIENCE_MS = 10_000;
/** How long to wait for a telemetry collector on exit. */
const REPORT_MS = 500;

async function serve(): Promise<ExitCode> {
  const reporting = startReporting(process.env);
  const server = createServer({
    version: version(),
    lineBytes: LINE_BYTES,
    send: (text) => write(`${text}\n`),
  });
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  process.once("SIGINT", ask).once("SIGTERM", ask);
  onClosedOutput(ask);
  await Promise.race([takeAll(server), server.ended, asked]);
  process.stdin.destroy();
  const isDone = (await inTime(server.end())) && (await inTime(flushed()));
  await reporting?.end(REPORT_MS);
  if (isDone) return 0;
  note(`exiting: some calls did not finish within ${PATIENCE_MS / 1000} s`);
  process.exit(0);
}

async function takeAll(server: Server): Promise<void> {
  const splitter = createLineSplitter(LINE_BYTES);
  let running = 0;
  let freed = () => {};
  const take = async (line: Line) => {
    running += 1;
    void server.take(line).then(() => {
      running -= 1;
      freed();
    });
    if (running >= MOST_RUNNING)
      await new Promise<void>((resolve) => {
        freed = resolve;
      });
    if (process.stdout.writableLength > MOST_WAITING_BYTES) await once(process.stdout, "drain");
  };
  try {
    for await (const chunk of process.stdin)
      for (const line of splitter.push(chunk as Buffer)) await take(line);
    for (const line of splitter.end()) await take(line);
  } catch {
    // Closed or unreadable: both are the end of input.
  }
}

/** An empty write completes after all others. */
function flushed(): Promise<void> {
  return write("").catch(() => undefined);
}

async function inTime(work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), PATIENCE_MS);
  try {
    return (await Promise.race([work, late])) !== "late";
  } finally {
    clearTimeout(timer);
  }
}
