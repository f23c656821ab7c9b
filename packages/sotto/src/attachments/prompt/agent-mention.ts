// Agent mention: the user wants a sub-agent used for what they ask.

import * as v from "valibot";
import { reasonsInLine } from "../../render/wording.ts";
import { defineAttachment, skip, withNote } from "../attachment.ts";

const schema = v.object({ agentType: v.string() });

export const agentMention = defineAttachment({
  type: "agent_mention",
  generator: "agent_mentions",
  summary: "A sub-agent the user wants used.",
  tier: "user_prompt",
  when: "the prompt names a known agent with @agent-",
  needs: ["agentMentions", "mentionedAgents"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ agentMentions: { pending }, mentionedAgents }) {
    const unknown = (mentionedAgents?.known && mentionedAgents.value.unknown) || [];
    const why =
      unknown.length === 0 ? undefined : `${reasonsInLine(unknown)}: no agent of that name is known here`;
    if (pending.length === 0) return skip(why ?? "the prompt mentions no agent that is known here");
    return withNote(
      pending.map(({ id, agentType }) => ({ data: { agentType }, covers: [id] })),
      why,
    );
  },
  render({ agentType }, { tools }) {
    const name = agentType.replace(/\s+/gu, " ").trim();
    const task = tools.tool("Task");
    const invoke = task === undefined ? "Hand it" : `Invoke it with ${task}, and hand it`;
    return `The user wants the agent "${name}" used for this. ${invoke} the context it needs.`;
  },
  examples: [{ title: "an agent", data: { agentType: "code-reviewer" } }],
});
