// Delegate mode: work goes to team mates. Said at every entry, then on a rhythm.

import * as v from "valibot";
import { inLine, pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({ teamName: v.string(), taskListPath: v.optional(v.string()) });

export const delegateMode = defineAttachment({
  type: "delegate_mode",
  summary: "Delegate mode is on: hand work to the team.",
  tier: "core",
  when: "the mode is delegate and there is a team: at every entry at once, then every 5 assistant turns",
  needs: ["mode"],
  schema,
  repeats: true,
  throttle: { minTurnsBetween: 5 },
  carries: "untrusted",
  trigger({ mode }) {
    const { name, team, pending } = mode;
    if (name !== "delegate") return skip(`the mode is ${name}`);
    if (team === undefined) return skip("delegate mode is on, and no team is known");
    const entry = pending.find((edge) => edge.kind === "entry" && edge.entry === mode.entry);
    const { name: teamName, taskListPath } = team;
    const data = { teamName, ...(taskListPath === undefined ? {} : { taskListPath }) };
    return [{ data, key: `entry-${mode.entry}`, ...(entry === undefined ? {} : { covers: [entry.id] }) }];
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
