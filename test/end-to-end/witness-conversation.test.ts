// Types that come from what the agent does with its tools, and from what becomes of its conversation.

import { witnessPair } from "../support/witness-pair.ts";
import { call, makeProject, openStage, type Stage } from "../support/witness-stage.ts";

const agent = "the agent";
const { signal } = new AbortController();
const todo = (status: string) => call("TodoWrite", { todos: [{ content: "Carry it out", status }] });

witnessPair(
  "planning",
  {
    plan_mode: { source: "EnterPlanMode", process: agent },
    plan_mode_exit: { source: "ExitPlanMode, which the user approves", process: `${agent}, the user` },
    plan_mode_reentry: { source: "EnterPlanMode again, and the plan file", process: agent },
    verify_plan_reminder: { source: "TodoWrite with all done behind an approved plan", process: agent },
    plan_file_reference: { source: "the plan file, when the conversation is summarised", process: agent },
  },
  async (isOn) => {
    const project = makeProject();
    const plan = call("Write", { file_path: ".claude/plans/w.md", content: "# Plan\n\nOne step.\n" });
    const planned = [
      call("EnterPlanMode", {}),
      plan,
      call("ExitPlanMode", {}),
      call("Glob", { pattern: "*" }),
      call("EnterPlanMode", {}),
      call("Glob", { pattern: "*" }),
      call("ExitPlanMode", {}),
      todo("completed"),
    ];
    const moves = isOn ? planned : [todo("completed")];
    const stage = await openStage(project, (_, index) => moves[index] ?? { text: "Done." }, {
      sessionId: "w",
    });
    await stage.say("go");
    await stage.agent.compact(signal);
    await stage.say("and on");
    return stage.evidence();
  },
);

witnessPair(
  "making room",
  {
    micro_compact: { source: "old results are cleared, the window is 60 % full", process: agent },
    invoked_skills: { source: "a skill that was used, when the conversation is summarised", process: agent },
    compact_file_reference: {
      source: "more files were read than come back, when it is summarised",
      process: agent,
    },
  },
  async (isOn) => {
    const project = makeProject();
    project.write(
      ".sotto/skills/release/SKILL.md",
      "---\nname: release\ndescription: How to publish.\n---\nTag, then publish.\n",
    );
    const reads = Array.from({ length: 10 }, (_, at) => {
      project.write(`part-${at}.txt`, `Part ${at}. ${"word ".repeat(200)}\n`);
      return call("Read", { file_path: `part-${at}.txt` });
    });
    const moves = [call("Skill", { skill: "release" }), ...reads];
    const stage = await openStage(
      project,
      (_, index) => ({
        ...(moves[index] ?? { text: "Done." }),
        usage: { input: isOn && index === 10 ? 65_000 : 100, output: 10 },
      }),
      { window: 100_000 },
    );
    await stage.say("go");
    if (isOn) await stage.agent.compact(signal);
    await stage.say("and on");
    return stage.evidence();
  },
);

witnessPair(
  "a list left alone, a word in between",
  {
    todo_reminder: { source: "TodoWrite, and then none for five calls", process: agent },
    queued_command: { source: "a line typed while the agent works", process: "the user" },
  },
  async (isOn) => {
    const stage: Stage = await openStage(makeProject(), (_, index) => {
      if (index === 0) return todo("pending");
      if (index === 1 && isOn) stage.agent.queue("And mind the tests.");
      if (index > 8) return { text: "Done." };
      return !isOn && index % 3 === 0 ? todo(`${index === 3 ? "in_progress" : "completed"}`) : look;
    });
    await stage.say("go");
    return stage.evidence();
  },
);

const look = call("Glob", { pattern: "*" });
