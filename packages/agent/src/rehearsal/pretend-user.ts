// What a rehearsal can do to the agent that plays it: queue prompts, interrupt, record, wait for its tasks.

import type { Session } from "sotto";
import type { AgentEvent } from "../agent-events.ts";
import type { Host } from "../open-host.ts";
import type { RunOptions } from "../run-options.ts";

export interface Opened {
  host?: Host;
  /** The types of reminders by their texts: the rehearsal only sees texts. */
  types: Map<string, string>;
}

export function learnTypes(event: AgentEvent, types: Map<string, string>): void {
  if (event.type === "subagent") learnTypes(event.event, types);
  else if (event.type === "reminder") types.set(event.reminder.text, event.reminder.type);
}

export function worldOf(opened: Opened, { onInterrupt }: RunOptions) {
  return {
    typeOf: (text: string) => opened.types.get(text),
    queuePrompt: (text: string) => opened.host?.agent.queue(text),
    interrupt: () => onInterrupt?.(),
    record: (event: Parameters<Session["record"]>[0]) => opened.host?.session.record(event),
    async tasksEnded() {
      while (opened.host?.tasks.list().some(({ status }) => status === "running"))
        await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}
