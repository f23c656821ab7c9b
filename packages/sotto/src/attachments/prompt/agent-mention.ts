// Agent mention: the user wants a sub-agent used for what they ask.

import * as v from "valibot";
import { reasonsInLine } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";

const schema = v.object({ agentType: v.string() });

export const agentMention = sendOnce({
  type: "agent_mention",
  generator: "agent_mentions",
  summary: "A sub-agent the user wants used.",
  tier: "user_prompt",
  when: "the prompt names a known agent with @agent-",
  needs: ["agentMentions", "mentionedAgents"],
  schema,
  repeat: "never",
  pending: ({ agentMentions }) => agentMentions.pending,
  each: ({ agentType }) => ({ agentType }),
  none: "the prompt mentions no known agent",
  leftOut({ mentionedAgents }) {
    const unknown = (mentionedAgents?.known && mentionedAgents.value.unknown) || [];
    return unknown.length === 0 ? undefined : `${reasonsInLine(unknown)}: no known agent has that name`;
  },
  render({ agentType }, { tools }) {
    const name = agentType.replace(/\s+/gu, " ").trim();
    const task = tools.tool("Task");
    const invoke = task === undefined ? "Hand it" : `Invoke it with ${task}, and hand it`;
    return `The user wants the agent "${name}" used for this. ${invoke} the context it needs.`;
  },
  examples: [{ title: "an agent", data: { agentType: "code-reviewer" } }],
});
