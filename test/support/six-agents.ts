// Six agents that have nothing in common but Sotto, and what each of them reads of every type.

import type { Attachment } from "../../packages/sotto/src/attachments/attachment.ts";
import { catalogue } from "../../packages/sotto/src/attachments/catalogue.ts";
import type { ToolNames } from "../../packages/sotto/src/facts/agent.ts";
import { createAgentTools } from "../../packages/sotto/src/profiles/agent-tools.ts";
import { codex } from "../../packages/sotto/src/profiles/codex.ts";
import { geminiCli } from "../../packages/sotto/src/profiles/gemini-cli.ts";
import type { Profile } from "../../packages/sotto/src/profiles/profile.ts";
import { createVocabulary, withAgents } from "../../packages/sotto/src/profiles/vocabulary.ts";
import { readBy } from "./reading.ts";

export interface SomeAgent {
  name: string;
  /** Whom it stands for. */
  says: string;
  vocabulary: ToolNames;
  /** Every name of a tool or a kind of agent that it may hear. */
  names: readonly string[];
}

/** The names that texts may use where an agent has nothing else: all that any of our texts asks for. */
export const DEFAULT_NAMES: readonly string[] = [
  ...["Read", "Edit", "Write", "Bash", "Task", "TodoWrite", "TaskOutput", "BashOutput", "AgentOutputTool"],
  ...["CollabRead", "AskUserQuestion", "ExitPlanMode", "Explore", "Plan"],
];

const OTHER_NAMES = { Read: "read_file", Bash: "run_shell", Edit: "edit_block" };
const SUPPORT_TOOLS = ["lookup_order", "refund", "send_email"];

export const SIX_AGENTS: readonly SomeAgent[] = [
  {
    name: "own",
    says: "an agent with every tool of the default vocabulary",
    vocabulary: createVocabulary(undefined),
    names: DEFAULT_NAMES,
  },
  {
    name: "other names",
    says: "a coding agent none of whose tools has one of our names: `read_file`, `run_shell`, `edit_block`",
    vocabulary: createVocabulary(undefined, OTHER_NAMES),
    names: Object.values(OTHER_NAMES),
  },
  {
    name: "Codex",
    says: "Codex, by its profile",
    vocabulary: byProfile(codex),
    names: Object.values(codex.names),
  },
  {
    name: "Gemini CLI",
    says: "Gemini CLI, by its profile",
    vocabulary: byProfile(geminiCli),
    names: Object.values(geminiCli.names),
  },
  {
    name: "chat",
    says: "a chat agent without tools",
    vocabulary: withAgents(createVocabulary([]), []),
    names: [],
  },
  {
    name: "support",
    says: "a support agent with three tools of its own: `lookup_order`, `refund`, `send_email`",
    vocabulary: withAgents(createVocabulary(SUPPORT_TOOLS), []),
    names: SUPPORT_TOOLS,
  },
];

function byProfile(profile: Profile): ToolNames {
  return createAgentTools({ agent: { kind: "main" }, profile }).wordsFor(undefined, new Set());
}

export interface ReadExample {
  attachment: Attachment;
  title: string;
  data: unknown;
  /** What each of the six reads, in their order. */
  texts: readonly string[];
  /** The same, of the note that stands there when the text had to be cut; none where nothing can be said. */
  rests: readonly string[];
}

/** Every example of every type that says anything. */
export function readExamples(types: readonly Attachment[] = catalogue): ReadExample[] {
  return types.flatMap((attachment) =>
    attachment.examples.flatMap(({ title, data }) => {
      const read = SIX_AGENTS.map(({ vocabulary }) => readBy(attachment, data, vocabulary));
      const texts = read.map(({ text }) => text);
      const rests = read.flatMap(({ rest }) => rest ?? []);
      return texts.every((text) => text === "") ? [] : [{ attachment, title, data, texts, rests }];
    }),
  );
}
