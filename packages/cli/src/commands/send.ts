// `sotto send`: a message into an agent's mailbox, from any process.

import { sendMessage } from "sotto/team";
import { type ExitCode, wrongUse } from "sotto-agent/terminal";
import { parseAddress, readStdin, workingDirectory } from "../input/arguments.ts";
import { write, writeJson } from "../output/write.ts";

export interface SendCommand {
  to: string;
  text?: string;
  from?: string;
  id?: string;
  mailbox?: string;
  cwd?: string;
  json?: boolean;
}

export async function send({
  to,
  text,
  from = "user",
  id,
  mailbox,
  cwd,
  json,
}: SendCommand): Promise<ExitCode> {
  const address = parseAddress(to);
  const words = text ?? (await piped());
  if (words.trim() === "") throw wrongUse("the message is empty");
  const sent = await sendMessage({
    cwd: workingDirectory(cwd),
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
  const hint = 'give the message, e.g. sotto send team/agent "Done."';
  return (await readStdin({ hint, code: "invalid_text" })).trimEnd();
}
