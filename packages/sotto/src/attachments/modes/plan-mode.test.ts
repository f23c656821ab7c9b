import { describe, expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import {
  answered,
  openSession,
  outcomeOf,
  says,
  textOf,
  turnsThatSay,
} from "../../../../../test/support/telling.ts";
import { planMode } from "./plan-mode.ts";

const planFilePath = "/repo/plan.md";
const enterPlanMode = { type: "mode_changed", mode: "plan", planFilePath } as const;
const leavePlanMode = { type: "mode_changed", mode: "normal" } as const;

describe("plan_mode, as the model reads it", () => {
  it("AC-21 has five phases, plan file info both ways and not at all, a sparse text, one for sub-agents", () => {
    expect(examplesAsRead(planMode)).toMatchInlineSnapshot(`
      "# full, no plan file yet
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing but the plan file, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan File Info:
      There is no plan file yet. Create it at /repo/.claude/plans/main.md with Write.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code, with up to 3 Explore agents side by side, as few as the question needs. Use AskUserQuestion to ask the user what is unclear.

      ### Phase 2: Design
      Goal: an approach. Use up to 1 Plan agent, none for a trivial task. Hand over what phase 1 found.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Use AskUserQuestion to ask the user what is still open.

      ### Phase 4: Final Plan
      Goal: the plan, written down in /repo/.claude/plans/main.md. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Call ExitPlanMode
      Goal: the user's decision. End a turn only with a question to the user (AskUserQuestion) or with ExitPlanMode. ExitPlanMode asks for approval; ask for it in no other way.
      </system-reminder>

      # full, the plan file exists
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing but the plan file, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan File Info:
      A plan file exists at /repo/.claude/plans/main.md. Read it and edit it step by step with Edit.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code, with up to 3 Explore agents side by side, as few as the question needs. Use AskUserQuestion to ask the user what is unclear.

      ### Phase 2: Design
      Goal: an approach. Use up to 1 Plan agent, none for a trivial task. Hand over what phase 1 found.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Use AskUserQuestion to ask the user what is still open.

      ### Phase 4: Final Plan
      Goal: the plan, written down in /repo/.claude/plans/main.md. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Call ExitPlanMode
      Goal: the user's decision. End a turn only with a question to the user (AskUserQuestion) or with ExitPlanMode. ExitPlanMode asks for approval; ask for it in no other way.
      </system-reminder>

      # full, whether the plan file exists cannot be told
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing but the plan file, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan File Info:
      The plan file is /repo/.claude/plans/main.md. If it exists, read it and edit it step by step with Edit; if not, create it with Write.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code, with up to 3 Explore agents side by side, as few as the question needs. Use AskUserQuestion to ask the user what is unclear.

      ### Phase 2: Design
      Goal: an approach. Use up to 1 Plan agent, none for a trivial task. Hand over what phase 1 found.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Use AskUserQuestion to ask the user what is still open.

      ### Phase 4: Final Plan
      Goal: the plan, written down in /repo/.claude/plans/main.md. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Call ExitPlanMode
      Goal: the user's decision. End a turn only with a question to the user (AskUserQuestion) or with ExitPlanMode. ExitPlanMode asks for approval; ask for it in no other way.
      </system-reminder>

      # full, no plan file known
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code, with up to 3 Explore agents side by side, as few as the question needs. Use AskUserQuestion to ask the user what is unclear.

      ### Phase 2: Design
      Goal: an approach. Use up to 1 Plan agent, none for a trivial task. Hand over what phase 1 found.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Use AskUserQuestion to ask the user what is still open.

      ### Phase 4: Final Plan
      Goal: the plan, written down in your answer. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Call ExitPlanMode
      Goal: the user's decision. End a turn only with a question to the user (AskUserQuestion) or with ExitPlanMode. ExitPlanMode asks for approval; ask for it in no other way.
      </system-reminder>

      # sparse
      <system-reminder>
      Plan mode is still on; the full text is further up. Everything is read-only but for /repo/.claude/plans/main.md. Work through the five phases. End a turn only with a question to the user (AskUserQuestion) or with ExitPlanMode.
      </system-reminder>

      # sub-agent
      <system-reminder>
      Plan mode is on, and you work read-only as well: change nothing but the plan file, and run no tool that changes anything.

      ## Plan File Info:
      A plan file exists at /repo/.claude/plans/main.md. Read it and edit it step by step with Edit.

      Answer the query you were given, fully.
      </system-reminder>"
    `);
  });

  it("AC-21 names as many agents as the config allows", () => {
    const config = { attachments: { plan_mode: { max_explore_agents: 1, max_plan_agents: 4 } } };
    const text = asRead(planMode, { reminderType: "full", isSubAgent: false }, { config });
    expect(phases(text).slice(0, 2)).toMatchInlineSnapshot(`
      [
        "### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code, with up to 1 Explore agent if the question needs it. Use AskUserQuestion to ask the user what is unclear.",
        "### Phase 2: Design
      Goal: an approach. Use up to 4 Plan agents: one as a rule, none for a trivial task, several for a hard one. Hand over what phase 1 found.",
      ]
    `);
  });

  it("AC-21 does without agents where the config allows none", () => {
    const config = { attachments: { plan_mode: { max_explore_agents: 0, max_plan_agents: 0 } } };
    const text = asRead(planMode, { reminderType: "full", isSubAgent: false }, { config });
    expect(phases(text).slice(0, 2)).toMatchInlineSnapshot(`
      [
        "### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code. Use AskUserQuestion to ask the user what is unclear.",
        "### Phase 2: Design
      Goal: an approach. Work it out from what you know by then.",
      ]
    `);
  });

  it("names no tool and no agent that the agent lacks", () => {
    expect(examplesAsRead(planMode, { tools: ["Read"] })).toMatchInlineSnapshot(`
      "# full, no plan file yet
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code. Ask the user what is unclear, at the end of an answer.

      ### Phase 2: Design
      Goal: an approach. Work it out from what you know by then.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Ask the user what is still open, at the end of an answer.

      ### Phase 4: Final Plan
      Goal: the plan, written down in your answer. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Hand Over the Plan
      Goal: the user's decision. End a turn with a question to the user, or with the plan and the question whether to go ahead. Carry nothing out before they agree.
      </system-reminder>

      # full, the plan file exists
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan File Info:
      A plan file exists at /repo/.claude/plans/main.md. Read it.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code. Ask the user what is unclear, at the end of an answer.

      ### Phase 2: Design
      Goal: an approach. Work it out from what you know by then.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Ask the user what is still open, at the end of an answer.

      ### Phase 4: Final Plan
      Goal: the plan, written down in your answer. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Hand Over the Plan
      Goal: the user's decision. End a turn with a question to the user, or with the plan and the question whether to go ahead. Carry nothing out before they agree.
      </system-reminder>

      # full, whether the plan file exists cannot be told
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan File Info:
      The plan file is /repo/.claude/plans/main.md. If it exists, read it.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code. Ask the user what is unclear, at the end of an answer.

      ### Phase 2: Design
      Goal: an approach. Work it out from what you know by then.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Ask the user what is still open, at the end of an answer.

      ### Phase 4: Final Plan
      Goal: the plan, written down in your answer. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Hand Over the Plan
      Goal: the user's decision. End a turn with a question to the user, or with the plan and the question whether to go ahead. Carry nothing out before they agree.
      </system-reminder>

      # full, no plan file known
      <system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code. Ask the user what is unclear, at the end of an answer.

      ### Phase 2: Design
      Goal: an approach. Work it out from what you know by then.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Ask the user what is still open, at the end of an answer.

      ### Phase 4: Final Plan
      Goal: the plan, written down in your answer. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Hand Over the Plan
      Goal: the user's decision. End a turn with a question to the user, or with the plan and the question whether to go ahead. Carry nothing out before they agree.
      </system-reminder>

      # sparse
      <system-reminder>
      Plan mode is still on; the full text is further up. Everything is read-only. Work through the five phases. End a turn with a question to the user, or with the plan and the question whether to go ahead.
      </system-reminder>

      # sub-agent
      <system-reminder>
      Plan mode is on, and you work read-only as well: change nothing, and run no tool that changes anything.

      ## Plan File Info:
      A plan file exists at /repo/.claude/plans/main.md. Read it.

      Answer the query you were given, fully.
      </system-reminder>"
    `);
  });

  it("names what there is: a tool to write but none to edit, sub-agents but no types of them", () => {
    const data = { reminderType: "full", isSubAgent: false, planFilePath, planExists: true };
    expect(
      asRead(planMode, data, { tools: ["Read", "Write", "Task", "ExitPlanMode"] }),
    ).toMatchInlineSnapshot(`
      "<system-reminder>
      Plan mode is on. The user wants a plan first and no changes yet: edit nothing but the plan file, and run no tool that changes files, settings or anything else. This holds until plan mode is left.

      ## Plan File Info:
      A plan file exists at /repo/plan.md. Read it and edit it step by step with Write.

      ## Plan Workflow

      ### Phase 1: Initial Understanding
      Goal: know the request and the code it touches. Read the code, with up to 3 sub-agents (Task) side by side, as few as the question needs. Ask the user what is unclear, at the end of an answer.

      ### Phase 2: Design
      Goal: an approach. Use up to 1 sub-agent (Task), none for a trivial task. Hand over what phase 1 found.

      ### Phase 3: Review
      Goal: a plan that fits the request. Read the files that matter most yourself, and hold the plan against what the user asked for. Ask the user what is still open, at the end of an answer.

      ### Phase 4: Final Plan
      Goal: the plan, written down in /repo/plan.md. Only the approach you recommend; short enough to scan, full enough to carry out; with the paths of the files that matter and how to verify the result.

      ### Phase 5: Call ExitPlanMode
      Goal: the user's decision. End a turn only with a question to the user or with ExitPlanMode. ExitPlanMode asks for approval; ask for it in no other way.
      </system-reminder>"
    `);
  });
});

describe("plan_mode, when", () => {
  it("AC-9 is said at once, then every 5 turns; the 1st, 6th and 11th in full", async () => {
    const session = openSession();
    await session.record(enterPlanMode);
    const said: string[] = [];
    for (let before = 0; before <= 55; before++) {
      const text = textOf(await answered(session), "plan_mode");
      if (text !== undefined) said.push(`${before} ${text.includes("## Plan Workflow") ? "full" : "sparse"}`);
    }
    expect(said).toEqual([
      "0 full",
      ...["5 sparse", "10 sparse", "15 sparse", "20 sparse"],
      "25 full",
      ...["30 sparse", "35 sparse", "40 sparse", "45 sparse"],
      "50 full",
      "55 sparse",
    ]);
  });

  it("AC-9 is in full again at every entry, and the count restarts", async () => {
    const session = openSession();
    await session.record(enterPlanMode);
    for (let turn = 0; turn < 7; turn++) await answered(session);
    await session.record(leavePlanMode);
    await answered(session);
    await session.record(enterPlanMode);
    const first = await answered(session);
    expect(textOf(first, "plan_mode")).toContain("## Plan Workflow");
    expect(await turnsThatSay(session, "plan_mode", 10)).toEqual([4, 9]);
  });

  it("AC-9 is in full again after compaction", async () => {
    const session = openSession();
    await session.record(enterPlanMode);
    for (let turn = 0; turn < 6; turn++) await answered(session);
    await session.record({ type: "compacted" });
    expect(textOf(await answered(session), "plan_mode")).toContain("## Plan Workflow");
    const turns = await turnsThatSay(session, "plan_mode", 5);
    expect(turns).toEqual([4]);
  });

  it("AC-9 counts non-empty assistant messages, not calls of turn()", async () => {
    const session = openSession();
    await session.record(enterPlanMode);
    await answered(session);
    for (let count = 0; count < 8; count++) {
      const turn = await session.turn();
      expect(outcomeOf(turn, "plan_mode")).toBe("throttled: 1 of 5 turns since it was last sent, 4 to go");
      await turn.commit();
      await session.record({ type: "assistant_turn", empty: true });
    }
  });

  it("AC-10 reset() lets it speak at once", async () => {
    const session = openSession();
    await session.record(enterPlanMode);
    await answered(session);
    expect(says(await answered(session), "plan_mode")).toBe(false);
    await session.reset();
    expect(says(await answered(session), "plan_mode")).toBe(true);
  });

  it("takes its rhythm from the config", async () => {
    const session = openSession({
      config: { attachments: { plan_mode: { min_turns_between: 2, full_every: 2 } } },
    });
    await session.record(enterPlanMode);
    const said: string[] = [];
    for (let before = 0; before < 7; before++) {
      const text = textOf(await answered(session), "plan_mode");
      if (text !== undefined) said.push(`${before} ${text.includes("## Plan Workflow") ? "full" : "sparse"}`);
    }
    expect(said).toEqual(["0 full", "2 sparse", "4 full", "6 sparse"]);
  });

  it("says it is on to a sub-agent, too, with the text for sub-agents", async () => {
    const session = openSession();
    await session.record(enterPlanMode);
    const child = session.subagent({ agentType: "Explore" });
    const turn = await answered(child);
    expect(turn.attachments).toEqual([
      {
        type: "plan_mode",
        data: {
          reminderType: "full",
          isSubAgent: true,
          // Its own, and not its parent's.
          planFilePath: expect.stringMatching(
            `^/repo/.claude/plans/${child.id.replaceAll("/", "-")}-[0-9a-f]{12}\\.md$`,
          ),
          planExists: false,
        },
      },
    ]);
    expect(textOf(turn, "plan_mode")).toContain("Answer the query you were given, fully.");
  });

  it("knows no plan file where the config has no plan directory and the host names none", async () => {
    const session = openSession({ config: { plan_dir: "" } });
    await session.record({ type: "mode_changed", mode: "plan" });
    const turn = await session.turn();
    expect(turn.attachments).toEqual([
      { type: "plan_mode", data: { reminderType: "full", isSubAgent: false } },
    ]);
    expect(textOf(turn, "plan_mode")).not.toContain("## Plan File Info:");
  });

  it("says nothing in other modes", async () => {
    const session = openSession();
    await session.record({ type: "mode_changed", mode: "review" });
    expect(outcomeOf(await session.turn(), "plan_mode")).toBe("nothing: the mode is review");
  });
});

function phases(text: string): string[] {
  return text.split("\n\n").filter((part) => part.startsWith("### Phase"));
}
