// `sotto send`: sends a message to an agent's mailbox.

import { sendMessage } from "sotto/team";
import { type ExitCode, usageError } from "sotto-agent/terminal";
import { existingDirectory, parseAddress } from "../input/arguments.ts";
import { readStdin } from "../input/stdin.ts";
import { write, writeJson } from "../output/write.ts";
import { cwd, type Define, examples, json } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Sends a message to an agent's mailbox. The agent sees it with its next model call. The message is on disk when this command exits with 0; sending it again with the same --id does not duplicate it.",
    )
    .argument("<to>", "team/agent, as in the agent's --mailbox")
    .argument("[text]", "the message (default: read from stdin)")
    .option("--from <name>", "sender (default: user)")
    .option("--id <id>", "message id, for safe retries")
    .option("--mailbox <dir>", "root of all mailboxes (default: .sotto/mail)")
    .addOption(cwd())
    .addOption(json("{id}"))
    .addHelpText(
      "after",
      examples(
        'sotto send parsers/grace "The tests are green." --from ci',
        "make 2>&1 | sotto send parsers/grace",
      ),
    )
    .action(action(send));

export interface SendCommand {
  to: string;
  text?: string;
  from?: string;
  id?: string;
  mailbox?: string;
  cwd?: string;
  json?: boolean;
}

async function send({ to, text, from = "user", id, mailbox, cwd, json }: SendCommand): Promise<ExitCode> {
  const address = parseAddress(to);
  const words = text ?? (await piped());
  if (words.trim() === "") throw usageError("the message is empty");
  const sent = await sendMessage({
    cwd: existingDirectory(cwd),
    to: address,
    from,
    text: words,
    ...(id === undefined ? {} : { id }),
    ...(mailbox === undefined ? {} : { mailbox }),
  });
  if (json) await writeJson(sent);
  else await write(`${sent.id}\n`);
  return 0;
}

async function piped(): Promise<string> {
  const hint = 'pass the message, e.g. sotto send team/agent "Done."';
  return (await readStdin({ hint, code: "invalid_text" })).trimEnd();
}
