// Types that come from what runs in the background: shells and sub-agents.

import { describe } from "vitest";
import type { Evidence } from "../support/witness.ts";
import { witnessPair } from "../support/witness-pair.ts";
import { call, makeProject, openStage, type Stage } from "../support/witness-stage.ts";

describe("told as tasks", () => {
  witnessPair(
    "background shells and agents",
    {
      task_status: { source: "a command in the background writes and ends", process: "sh, a task" },
      task_progress: { source: "a sub-agent in the background does a step", process: "a sub-agent" },
    },
    (isOn) => work(isOn, { awaited: ["task_status", "task_progress"] }),
  );
});

describe('told one by one, with tasks.style = "classic"', () => {
  witnessPair(
    "background shells and agents",
    {
      background_shell_status: { source: "a command in the background ends", process: "sh, a task" },
      async_agent_status: { source: "a sub-agent in the background ends", process: "a sub-agent" },
    },
    (isOn) =>
      work(isOn, {
        awaited: ["background_shell_status", "async_agent_status"],
        toml: '[system_reminder.tasks]\nstyle = "classic"\n',
      }),
  );
});

/** Without the source: the same work, waited for. */
async function work(
  isOn: boolean,
  { awaited, toml = "" }: { awaited: string[]; toml?: string },
): Promise<Evidence> {
  const project = makeProject();
  project.config(toml);
  let steps = 0;
  /** Until its parent has heard of a step, or for so many of them. */
  const explore = () => {
    const isHeard = !awaited.includes("task_progress") || stage.attached.includes("task_progress");
    const isOver = ++steps > (isOn && !isHeard ? 45 : 2);
    return { ...(isOver ? { text: "Found it." } : call("Glob", { pattern: "*" })), delayMs: 100 };
  };
  const stage: Stage = await openStage(project, (_, index) => {
    if (index === -1) return explore();
    if (index === 0) return call("Bash", { command: "echo built", run_in_background: isOn });
    if (index === 1)
      return call("Task", {
        subagent_type: "Explore",
        description: "Look around",
        prompt: "Look.",
        run_in_background: isOn,
      });
    const isOver = awaited.every((type) => stage.attached.includes(type)) || index > (isOn ? 100 : 4);
    return isOver ? { text: "Done." } : call("Bash", { command: "sleep 0.1" });
  });
  await stage.say("go");
  return stage.evidence();
}
