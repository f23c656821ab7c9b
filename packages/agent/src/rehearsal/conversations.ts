// Tells the conversations apart that come to one server: the agent, its sub-agents, the summariser.

import { anthropicMessages, withoutReminders } from "sotto";
import { promptBlocks } from "./prompt.ts";
import { type Block, blocksOf, type RequestBody, textOf } from "./requests.ts";

export interface Conversation {
  /** `main`, `summary`, or a sub-agent by its type, with a number from the second one on. */
  readonly name: string;
  readonly agentType?: string;
  /** The request that was answered last. */
  answered?: RequestBody;
  answer?: readonly Block[];
  /** It has said its last word. */
  finished: boolean;
}

export interface Conversations {
  of(body: RequestBody): Conversation;
  /** An answer went out: its tool calls will come back in the same conversation. */
  answered(conversation: Conversation, body: RequestBody, answer: readonly Block[]): void;
}

const SUBAGENT = /^You are the (.+?) sub-agent\b/u;
const SUMMARISER = /^You summarise\b/u;

export function createConversations(): Conversations {
  const main: Conversation = { name: "main", finished: false };
  const summary: Conversation = { name: "summary", finished: false };
  const agents: Conversation[] = [];
  const started = new Map<Conversation, string>();
  const byCall = new Map<unknown, Conversation>();
  /** Sub-agents that were at work when a summary was asked for: their history may begin anew. */
  let summedUp = new Set<Conversation>();

  function agentOf(agentType: string, body: RequestBody): Conversation {
    const known = knownAgent(agentType, body);
    if (known) return known;
    const number = agents.filter((agent) => agent.agentType === agentType).length + 1;
    const name = number === 1 ? agentType : `${agentType} ${number}`;
    const agent: Conversation = { name, agentType, finished: false };
    agents.push(agent);
    started.set(agent, startOf(body));
    return agent;
  }

  function knownAgent(agentType: string, body: RequestBody): Conversation | undefined {
    const call = callsIn(body).findLast((id) => byCall.has(id));
    if (call !== undefined) return byCall.get(call);
    const ofType = agents.filter((agent) => agent.agentType === agentType && !agent.finished);
    const sameStart = ofType.filter((agent) => started.get(agent) === startOf(body));
    // Without an answer in it, it is new, or it is made again because the first one failed.
    if (body.messages.some(({ role }) => role === "assistant")) return sameStart.at(-1) ?? ofType.at(-1);
    return sameStart.find(({ answered }) => !answered) ?? ofType.find((agent) => summedUp.has(agent));
  }

  return {
    of(body) {
      const system = blocksOf(body.system).map(textOf)[0] ?? "";
      if (SUMMARISER.test(system)) return summary;
      const agentType = SUBAGENT.exec(system)?.[1];
      return agentType === undefined ? main : agentOf(agentType, body);
    },
    answered(conversation, body, answer) {
      Object.assign(conversation, { answered: body, answer });
      if (conversation === summary)
        summedUp = new Set(agents.filter(({ answered, finished }) => answered && !finished));
      else summedUp.delete(conversation);
      for (const { type, id } of answer) if (type === "tool_use") byCall.set(id, conversation);
    },
  };
}

/** An agent that lost the answer asks the same again: nothing is new in its request but reminders. */
export function isRepeated({ answered, answer = [] }: Conversation, body: RequestBody): boolean {
  if (answered === undefined || answer.length === 0) return false;
  const spoken = (one: RequestBody) =>
    JSON.stringify(promptBlocks(withoutReminders(anthropicMessages, one, { words: false }) as RequestBody));
  return spoken(answered) === spoken(body);
}

function callsIn({ messages }: RequestBody): unknown[] {
  return messages
    .flatMap(({ content }) => blocksOf(content))
    .filter(({ type }) => type === "tool_use")
    .map(({ id }) => id);
}

function startOf({ messages }: RequestBody): string {
  return JSON.stringify(blocksOf(messages[0]?.content)[0]);
}
