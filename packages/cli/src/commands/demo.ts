// `sotto demo`: the reference agent rehearsed before the user's eyes, with what was measured at the end.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createSqliteStore } from "sotto";
import { type ExitCode, failed } from "../failure.ts";
import { createDenyAsker } from "../host/face/deny-asker.ts";
import { createTextFace } from "../host/face/text-face.ts";
import { openRun } from "../host/open-run.ts";
import { measure } from "../host/rehearsal/measure.ts";
import type { Run } from "../host/run-options.ts";
import { createPermissions } from "../host/tools/permissions.ts";
import { type DemoMeasured, demoMeasures, demoPage } from "../output/demo-page.ts";
import { createStyle, lineWidth } from "../output/style.ts";
import { whenNobodyReads, write, writeJson, writeLine } from "../output/write.ts";
import { SCENARIOS } from "./run.ts";

export interface DemoCommand {
  showReminders?: boolean;
  keep?: boolean;
  json?: boolean;
}

const WELCOME = `This is a rehearsal: the model is a script on 127.0.0.1, and nothing leaves this machine. The agent, the engine, its
log, the files, the processes and the HTTP calls are real. Lines with · are what the model is told besides the conversation.
`;

const PATIENT_MS = 20_000;

export async function demo(command: DemoCommand): Promise<ExitCode> {
  const ending = new AbortController();
  const end = () => ending.abort(failed("ended", "interrupted"));
  process.once("SIGINT", end).once("SIGTERM", end);
  const reading = whenNobodyReads(end);
  const directory = await mkdtemp(join(tmpdir(), "sotto-demo-"));
  const store = join(directory, "sotto.db");
  try {
    if (!command.json) await write(WELCOME);
    const measured = await rehearse(command, { directory, store, signal: ending.signal });
    if (ending.signal.aborted) return 130;
    if (command.json) await writeJson({ ...measured, ...(command.keep ? { store } : {}) });
    else await writeLine(demoPage(measured));
    if (command.keep && !command.json)
      await writeLine(`\nLook further:\n  sotto explain --store ${store}\n  sotto log --store ${store}`);
    return measured.good ? 0 : 1;
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    reading();
    if (!command.keep) await rm(directory, { recursive: true, force: true });
  }
}

async function rehearse(
  command: DemoCommand,
  { directory, store: path, signal }: { directory: string; store: string; signal: AbortSignal },
): Promise<DemoMeasured> {
  const from = performance.now();
  const store = createSqliteStore({ path });
  const face: { listen: ReturnType<typeof createTextFace> } = { listen: () => undefined };
  const run = await openRun({
    // The script says what the editor shows.
    ide: false,
    cwd: directory,
    sessionId: "demo",
    scenario: fileURLToPath(new URL("demo.yaml", SCENARIOS)),
    usualScenario: "",
    store,
    // The same for everyone, whatever they have configured.
    readConfig: false,
    stateDirectory: directory,
    permissions: createPermissions("all"),
    extraDirectories: [],
    denyRead: [],
    asker: createDenyAsker(),
    // The same everywhere, whatever is installed and however busy the machine is.
    config: { language_servers: false, timeout_ms: PATIENT_MS },
    listen: (event) => face.listen(event),
  });
  try {
    if (!command.json) face.listen = pageFor(run, command);
    for (let prompt = await run.rehearsal?.nextPrompt(); prompt !== undefined; ) {
      if (!command.json) await writeLine(`\n${createStyle().bold("›")} ${prompt}\n`);
      await run.agent.run(prompt, signal);
      if (signal.aborted) break;
      prompt = await run.rehearsal?.nextPrompt();
    }
    const { requests = [], problems = [] } = run.rehearsal ?? {};
    const seconds = (performance.now() - from) / 1000;
    return demoMeasures(measure(requests, { typeOf: run.typeOf }), { problems, seconds });
  } finally {
    await run.close();
    await store.close();
  }
}

function pageFor({ cwd }: Run, { showReminders }: DemoCommand) {
  return createTextFace({
    out: process.stdout,
    style: createStyle(),
    width: lineWidth(),
    cwd,
    isTty: process.stdout.isTTY === true,
    ...(showReminders ? { showReminders } : {}),
  });
}
