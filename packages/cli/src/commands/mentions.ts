// `sotto mentions`: what a prompt mentions with @, and what of it is there.

import { homedir } from "node:os";
import { mentionsIn, type ResolvedMentions } from "sotto";
import type { ExitCode } from "../../../agent/src/terminal/failure.ts";
import { readStdin } from "../input/read-stdin.ts";
import { workingDirectory } from "../input/arguments.ts";
import { mentionsPage } from "./mentions-page.ts";
import { write, writeJson } from "../output/write.ts";

export interface MentionsCommand {
  /** On the command line; else it is read from stdin. */
  prompt?: string[];
  cwd?: string;
  deny?: string[];
  mcpServer?: string[];
  agent?: string[];
  json?: boolean;
}

const HINT =
  "give it a prompt on stdin, e.g. echo 'Look at @src' | sotto mentions (see sotto mentions --help)";

export async function mentions(command: MentionsCommand): Promise<ExitCode> {
  const { deny: denyRead = [], mcpServer: servers = [], agent: agents = [] } = command;
  const cwd = workingDirectory(command.cwd);
  const typed = (command.prompt ?? []).join(" ");
  const prompt = typed.trim() === "" ? await readStdin({ hint: HINT, code: "invalid_input" }) : typed;
  const found = await mentionsIn({ prompt, cwd, servers, agents, permissions: { denyRead } });
  if (command.json) await writeJson(toJson(found));
  else await write(mentionsPage(found, { cwd, home: homedir() }));
  return 0;
}

/** Notes stand in place of contents, and there are none here. */
function toJson({ files, ...rest }: ResolvedMentions) {
  return { files: files.map(({ note, ...file }) => file), ...rest };
}
