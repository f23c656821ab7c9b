// The program: parses the command line and runs one command. A failure becomes one line on stderr and an exit code.

import { Command, CommanderError } from "commander";
import { CLOSED_PIPE, type ExitCode, oneLine, toFailure } from "sotto-agent/terminal";
import { type Define, examples, type ToAction } from "./commands/options.ts";
import { note, write, writeJson } from "./output/write.ts";

type Load = () => Promise<{ define: Define }>;

/** Name, summary and file of each command. Only the file of the command that is asked for is loaded. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  run: ["run the reference agent, a coding agent, in this directory", () => import("./commands/run.ts")],
  send: ["send a message to an agent's mailbox", () => import("./commands/send.ts")],
  turn: ["add reminders to one request: JSON in, JSON out", () => import("./commands/turn.ts")],
  serve: ["serve sessions to a host in any language, as JSON-RPC", () => import("./commands/serve.ts")],
  gateway: [
    "add reminders to the requests of any agent, as an HTTP proxy",
    () => import("./commands/gateway.ts"),
  ],
  wrap: ["run a program through a gateway of its own", () => import("./commands/wrap.ts")],
  memory: ["show which instruction files apply to a path, and why", () => import("./commands/memory.ts")],
  mentions: ["show what a prompt mentions with @", () => import("./commands/mentions.ts")],
  catalog: ["list every reminder type and when it is sent", () => import("./commands/catalog.ts")],
  sessions: ["list the sessions of this directory", () => import("./commands/sessions.ts")],
  explain: ["show which reminders were sent or skipped, and why", () => import("./commands/explain.ts")],
  log: ["print and follow a session's log", () => import("./commands/log.ts")],
  stats: [
    "show tokens spent on reminders, and saved by not repeating them",
    () => import("./commands/stats.ts"),
  ],
  store: ["check, export, import, prune or purge stored sessions", () => import("./commands/store.ts")],
  init: ["set up Sotto in the coding agents of a project", () => import("./commands/init.ts")],
  doctor: ["check that what Sotto needs is installed and working", () => import("./commands/doctor.ts")],
  hook: ["handle one hook call of a coding agent", () => import("./commands/hook.ts")],
  mute: ["turn a reminder type off in a running session", () => import("./commands/mute.ts")],
  unmute: ["turn a muted reminder type on again", () => import("./commands/unmute.ts")],
  trust: [
    "approve project files that run commands or inject trusted text",
    () => import("./commands/trust.ts"),
  ],
  demo: ["watch a short scripted session: no key, no network", () => import("./commands/demo.ts")],
};

export async function runProgram(args: string[], version: string): Promise<number> {
  let exitCode: ExitCode = 0;
  let help = "";
  const toAction: ToAction =
    (run) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const options = { ...command.opts(), ...namedArguments(command) };
      exitCode = await settle(async () => run(options as never), options.json === true);
    };
  const program = createProgram(version, (text) => {
    help += text;
  });
  for (const [name, [summary]] of Object.entries(COMMANDS)) program.command(name).summary(summary);
  program.hook("preSubcommand", async (_program, command) => {
    const { define } = await (COMMANDS[command.name()] as readonly [string, Load])[1]();
    define(command, toAction);
  });
  try {
    await program.parseAsync(withoutHelpCommand(args), { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) return 2;
    return settle(() => write(help).then(() => 0), false);
  }
}

/** `help turn` as `turn --help`: commander would print the help of a command that is not loaded yet. */
function withoutHelpCommand(args: string[]): string[] {
  const [first, name, ...rest] = args;
  if (first !== "help" || name === undefined) return args;
  return Object.hasOwn(COMMANDS, name) ? [name, ...rest, "--help"] : [name];
}

async function settle(run: () => Promise<ExitCode>, json: boolean): Promise<ExitCode> {
  try {
    return await run();
  } catch (thrown) {
    const { exitCode, code, message } = toFailure(thrown);
    if (code === CLOSED_PIPE) return 0;
    note(message);
    // If stdout is what failed, there is nothing left to do.
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

function createProgram(version: string, writeOut: (text: string) => void): Command {
  return new Command("sotto")
    .description("Adds reminders to LLM requests: what an AI agent needs to know, when it needs to know it.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .exitOverride()
    .configureOutput({
      writeOut,
      outputError: (text, write) => write(`${oneLine(text).replace(/^error: /u, "sotto: ")}\n`),
    })
    .addHelpText(
      "after",
      examples(
        "sotto demo",
        `echo '{"messages":[{"role":"user","content":"hi"}]}' | sotto turn --pretty`,
        "sotto memory src/app.ts",
        "sotto catalog",
      ),
    )
    .addHelpText("after", "Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted.");
}
