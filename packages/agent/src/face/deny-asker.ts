// Where nobody can be asked, the answer is what was allowed beforehand, else no, with words about how to allow it.

import type { Asker } from "../asker.ts";
import { callName } from "./event-line.ts";
import { oneLine } from "../terminal/safe-text.ts";

export interface DenyAskerOptions {
  /** The reason of each refusal, for people; the model is told of a no by the tool. */
  say?: (reason: string) => void;
  /** Whether the user has allowed a tool beforehand, by its name. */
  allows?: (toolName: string) => boolean;
}

const NOBODY = "Nobody is at a terminal to answer";
const LONGEST_REASON = 300;

export function createDenyAsker({ say, allows = () => false }: DenyAskerOptions = {}): Asker {
  return {
    async permit({ toolName, title, allowedBy }) {
      if (toolName === "EnterPlanMode" && allows(toolName)) return "yes";
      const call = oneLine(callName(toolName, title), LONGEST_REASON);
      const how = allowedBy ?? `--allow ${oneLine(toolName, 60)}, or choose another --permission-mode`;
      say?.(`refused: ${call}. ${NOBODY}; allow it beforehand with ${how}.`);
      return "nobody";
    },
    async choose(question) {
      say?.(`${NOBODY}: ${oneLine(question, LONGEST_REASON)}`);
      return `${NOBODY}. Decide yourself, and say what you assumed.`;
    },
    async approvePlan() {
      if (allows("ExitPlanMode")) return { approved: true, nobody: true };
      say?.(
        `${NOBODY}: the plan stays unapproved. To work without approval, start with --allow ExitPlanMode or --permission-mode all.`,
      );
      return { approved: false, nobody: true };
    },
  };
}
