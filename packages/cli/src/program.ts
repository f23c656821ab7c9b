// The program: parses what the caller wrote; what fails becomes one line on stderr and an exit code.

import { Command, CommanderError } from "commander";
import { CLOSED_PIPE, type ExitCode, oneLine, toFailure } from "sotto-agent/terminal";
import { addDoctor, addStats, addStore } from "./care-lines.ts";
import {
  addCatalog,
  addDemo,
  addExplain,
  addLog,
  addMemory,
  addMentions,
  addMute,
  addSend,
  addSessions,
  addTrust,
} from "./command-lines.ts";
import { addHook } from "./commands/hook.ts";
import { addInit } from "./commands/init.ts";
import { examples, type RunAction } from "./commands/options.ts";
import { addRun } from "./commands/run.ts";
import { addServe } from "./commands/serve.ts";
import { note, write, writeJson } from "./output/write.ts";
import { addTurn } from "./turn-lines.ts";

export async function runProgram(args: string[], version: string): Promise<number> {
  let exitCode: ExitCode = 0;
  let help = "";
  const running: RunAction =
    (load) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const options = { ...command.opts(), ...namedArguments(command) };
      exitCode = await settle(async () => (await load())(options as never), options.json === true);
    };
  const program = createProgram(version, running, (text) => {
    help += text;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) return 2;
    return settle(() => write(help).then(() => 0), false);
  }
}

async function settle(run: () => Promise<ExitCode>, json: boolean): Promise<ExitCode> {
  try {
    return await run();
  } catch (thrown) {
    const { exitCode, code, message } = toFailure(thrown);
    if (code === CLOSED_PIPE) return 0;
    note(message);
    // Nothing to be done where stdout is what failed.
    if (json) await writeJson({ error: { code, message } }).catch(() => undefined);
    return exitCode;
  }
}

function namedArguments(command: Command): Record<string, unknown> {
  const pairs = command.registeredArguments.map((argument, index) => [
    argument.name(),
    command.processedArgs[index],
  ]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function createProgram(version: string, running: RunAction, writeOut: (text: string) => void): Command {
  const program = new Command("sotto")
    .description(
      "Tells AI agents what they need to hear, when they need to hear it: reminders for LLM requests.",
    )
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .exitOverride()
    .configureOutput({
      writeOut,
      outputError: (text, write) => write(`${oneLine(text).replace(/^error: /u, "sotto: ")}\n`),
    })
    .addHelpText(
      "after",
      examples(
        'echo \'{"messages":[{"role":"user","content":"hi"}]}\' | sotto turn --pretty',
        "sotto memory src/app.ts",
        "sotto catalog",
        "sotto demo",
      ),
    )
    .addHelpText("after", "Exit codes: 0 fine, 1 failed, 2 wrong use.");
  addRun(program, running);
  addSend(program, running);
  addTurn(program, running);
  addServe(program, running);
  addMemory(program, running);
  addMentions(program, running);
  addCatalog(program, running);
  addSessions(program, running);
  addExplain(program, running);
  addLog(program, running);
  addStats(program, running);
  addStore(program, running);
  addInit(program, running);
  addDoctor(program, running);
  addHook(program, running);
  addMute(program, running);
  addTrust(program, running);
  addDemo(program, running);
  return program;
}
