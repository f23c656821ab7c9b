// Skills that were invoked: each is in force from then on.

import type { Slice } from "./slice.ts";

export interface InvokedSkill {
  name: string;
  path: string;
  content: string;
  /** The entry of its last invocation: its text was in view then. */
  invokedAt: number;
}

export interface SkillsFact {
  /** In the order in which they were invoked last. */
  invoked: InvokedSkill[];
  /** The entry this session was forked with: what its host shows the model of the time before is unknown. */
  forkedAt: number;
}

// A session with more skills in force has none in force.
const KEPT = 50;

export const skills: Slice<SkillsFact> = {
  initial: () => ({ invoked: [], forkedAt: 0 }),
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
};
