// Delegate mode: work goes to teammates. Sent on every entry, then at intervals.

import * as v from "valibot";
import { inLine, pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { currentEntry } from "../shared/mode-edges.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const TURNS_BETWEEN = 5;

const schema = v.object({ teamName: v.string(), taskListPath: v.optional(v.string()) });

export const delegateMode = defineAttachment({
  type: "delegate_mode",
  summary: "Delegate mode is on: hand work to the team.",
  tier: "core",
  when: `the mode is delegate and there is a team: on every entry, then every ${TURNS_BETWEEN} assistant turns`,
  needs: ["mode"],
  schema,
  repeat: "always",
  throttle: { minTurnsBetween: TURNS_BETWEEN },
  trigger({ mode }) {
    const { name, team } = mode;
    if (name !== "delegate") return skip(`the mode is ${name}`);
    if (team === undefined) return skip("delegate mode is on, but no team is known");
    const { name: teamName, taskListPath } = team;
    return [{ data: withoutUndefined({ teamName, taskListPath }), ...currentEntry(mode) }];
  },
  render({ teamName, taskListPath }) {
    const list = taskListPath === undefined ? "" : ` through the task list at ${pathInText(taskListPath)}`;
    return `Delegate mode is on, with the team ${inLine(teamName)}. Hand work to your team mates${list} rather than doing it yourself. This holds until delegate mode is left.`;
  },
  examples: [
    { title: "a team", data: { teamName: "parsers", taskListPath: "/home/u/.claude/tasks/parsers/" } },
    { title: "no task list known", data: { teamName: "parsers" } },
  ],
});
