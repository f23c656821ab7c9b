// Skills that were invoked. Each applies from then on.

import { slice } from "./slice.ts";

export interface InvokedSkill {
  name: string;
  path: string;
  content: string;
  /** The log entry of its last invocation, when its text was in view. */
  invokedAt: number;
}

export interface SkillsFact {
  /** In the order of their last invocations. */
  invoked: InvokedSkill[];
  /** The log entry of the fork. Unknown: how much of the time before the host still shows the model. */
  forkedAt: number;
}

// A model cannot follow more skills than this at once.
const KEPT = 50;

export const skills = slice({
  initial: (): SkillsFact => ({ invoked: [], forkedAt: 0 }),
  on: ["skill_invoked", "session_started"],
  apply(state, event, { seq }) {
    if (event.type === "skill_invoked") {
      const { name, path, content } = event;
      const others = state.invoked.filter((one) => one.name !== name || one.path !== path);
      state.invoked = [...others, { name, path, content, invokedAt: seq }].slice(-KEPT);
    } else if (event.type === "session_started") {
      if (event.reason === "clear") state.invoked = [];
      if (event.reason === "fork") state.forkedAt = seq;
    }
  },
});
