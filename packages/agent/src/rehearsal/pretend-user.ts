// What a rehearsal can do to the agent that plays it: queue prompts, interrupt, record, wait for its tasks.

import type { Session } from "sotto";
import type { AgentEvent, Asker } from "../agent-events.ts";
import type { Host } from "../open-host.ts";
import type { RunOptions } from "../run-options.ts";
import type { Rehearsal } from "./start-rehearsal.ts";

export interface PlayedRun {
  host?: Host;
  /** The types of reminders by their texts: the rehearsal only sees texts. */
  types: Map<string, string>;
}

export function noteReminderTypes(event: AgentEvent, types: Map<string, string>): void {
  if (event.type === "subagent") noteReminderTypes(event.event, types);
  else if (event.type === "reminder") types.set(event.reminder.text, event.reminder.type);
}

export function worldFor(opened: PlayedRun, { onInterrupt }: RunOptions) {
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

// The pretended user answers what the agent asks, as the scenario says.

/** Where the scenario has no answer, the other asker is asked; without one it is no, and the first option. */
export function createScriptedAsker(rehearsal: Pick<Rehearsal, "nextAnswer">, otherwise?: Asker): Asker {
  return {
    async permit(request) {
      const answer = rehearsal.nextAnswer();
      if (answer === undefined) return otherwise?.permit(request) ?? "no";
      return answer === "yes" || answer === "always" ? answer : "no";
    },
    async choose(question, options) {
      const answer = rehearsal.nextAnswer();
      if (answer === undefined) return otherwise?.choose(question, options) ?? options[0]?.label ?? "";
      // A number is the place of an option, from 1.
      return options[Number(answer) - 1]?.label ?? answer;
    },
    async approvePlan(plan, path) {
      const answer = rehearsal.nextAnswer();
      if (answer === undefined) return otherwise?.approvePlan(plan, path) ?? { approved: false };
      if (answer === "yes" || answer === "always") return { approved: true };
      return { approved: false, ...(answer === "no" ? {} : { feedback: answer }) };
    },
  };
}
