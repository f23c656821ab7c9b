// Which known agents the user's prompt mentions; recorded, so that it is sent until it is delivered.

import type { Source } from "../source.ts";
import { parseMentions } from "./parse-mentions.ts";

// Names with an extension or a directory are paths.
const AGENT = /^@agent-[^./\\]+$/u;

export function createMentionedAgentsSource({
  agents,
}: {
  agents: readonly string[];
}): Source<"mentionedAgents"> {
  return {
    fact: "mentionedAgents",
    forPrompt: true,
    async observe(turn) {
      const mentions = parseMentions(turn.userPrompt ?? "", { servers: [], agents });
      const found = mentions.flatMap((mention) =>
        mention.kind === "agent" ? [{ type: "agent_mentioned" as const, agentType: mention.agentType }] : [],
      );
      const unknown = mentions.flatMap(({ kind, text }) =>
        kind === "path" && AGENT.test(text) ? [text] : [],
      );
      await turn.record(found);
      return { found: found.length, unknown };
    },
  };
}
