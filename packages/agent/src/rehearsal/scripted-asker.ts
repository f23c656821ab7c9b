// The pretended user answers what the agent asks, as the scenario says.

import type { Asker } from "../asker.ts";
import type { Rehearsal } from "./start-rehearsal.ts";

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
