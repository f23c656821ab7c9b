// After compaction all that is in force comes back once; resets free throttles; sub-agents hear what is theirs.

import fc from "fast-check";
import type { Session, SessionEvent, Turn } from "sotto";
import type { Source } from "sotto/extend";
import { catalogue, renderAttachment } from "sotto/inspect";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { anthropic, handWires, prompt } from "../support/agent-wire.ts";
import { boundless, forced } from "../support/forced.ts";
import { critical, openEngine, roomy } from "../support/open-engine.ts";
import { saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const plan: SessionEvent = { type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" };
const noPlanFile: Source = { fact: "planFile", observe: () => ({ exists: false }) };

async function answered(session: Session): Promise<Turn> {
  const turn = await session.turn();
  await turn.commit();
  await session.record({ type: "assistant_turn" });
  return turn;
}

const typesIn = ({ reminders }: Turn<unknown>) => reminders.map(({ type }) => type);

describe("AC-36 compaction", () => {
  test("what is in force is said again, once, and rhythms begin anew", async () => {
    const session = openEngine({ config: { ...roomy, ...critical }, sources: [noPlanFile] });
    await session.record(plan);
    const task = { type: "task_started", taskType: "shell", description: "npm test" } as const;
    await session.record({ ...task, taskId: "one" });
    await session.record({ ...task, taskId: "two" });
    const first = await answered(session);
    for (let turn = 1; turn <= 5; turn++) await answered(session);
    await session.record({ type: "compacted" });
    const after = await answered(session);
    expect(typesIn(after)).toEqual(["plan_mode", "critical_system_reminder", "task_status", "task_status"]);
    const fullPlan = (turn: Turn) => turn.reminders.find(({ type }) => type === "plan_mode")?.text;
    expect(fullPlan(after)).toBe(fullPlan(first));
    for (let turn = 1; turn <= 4; turn++)
      expect(typesIn(await answered(session))).toEqual(["critical_system_reminder"]);
    expect(typesIn(await answered(session))).toEqual(["plan_mode", "critical_system_reminder"]);
  });

  test.each(handWires)(
    "$name: pending one-shots stay pending, confirmed ones are not told again unless people said them",
    async (wire) => {
      const property = fc.asyncProperty(seeds, async (seed) => {
        const random = seeded(seed);
        const session = openEngine({ config: { ...roomy, ...critical } });
        const client = createClient(wire, random, { keeps: random.chance(0.5) });
        const world = createWorld(random);
        const confirmed = new Set<string>();
        const words = new Set<string>();
        let over = new Set<string>();
        for (let turn = 1; turn <= 40; turn++) {
          for (let count = random.below(3); count > 0; count--) {
            const event = world.oneShot();
            if (event.type === "prompt_queued" || event.type === "message_received")
              words.add(world.marks.at(-1) as string);
            await recordAny(session, event);
          }
          if (random.chance(0.15)) {
            await session.record({ type: "compacted" });
            over = new Set([...confirmed].filter((mark) => !words.has(mark)));
            client.messages = [prompt(`Summary ${turn}.`)];
          }
          const next = await session.turn({ dialect: wire.dialect, body: client.request() });
          expect(saidTwice(next.body, world.marks)).toEqual([]);
          expect(unsaid(next.body, world.marks)).toEqual(world.marks.filter((mark) => over.has(mark)));
          const works = random.chance(0.6);
          await (works ? next.commit() : next.abandon());
          if (works) for (const mark of world.marks) confirmed.add(mark);
          client.sent(next.body);
          if (works || random.chance(0.5)) client.goOn();
        }
      });
      await fc.assert(property, runs(10));
    },
  );

  test("a compaction that comes while a call is under way leaves its outcome to the call", async () => {
    for (const works of [true, false]) {
      const session = openEngine({ config: roomy });
      await recordAny(session, { type: "agent_mentioned", agentType: "M1X" });
      await session.record({ type: "prompt_queued", id: "p", prompt: "M2X" });
      const turn = await session.turn({
        dialect: anthropic.dialect,
        body: anthropic.body([prompt("Hello.")]),
      });
      await session.record({ type: "compacted" });
      await (works ? turn.commit() : turn.abandon());
      const after = await session.turn({
        dialect: anthropic.dialect,
        body: anthropic.body([prompt("Summary.")]),
      });
      // What people said has left the view with the history, heard or not.
      expect(typesIn(after)).toEqual(works ? ["queued_command"] : ["agent_mention", "queued_command"]);
      await after.commit();
      expect(typesIn(await session.turn())).toEqual([]);
    }
  });
});

describe("AC-10 reset", () => {
  const todos: SessionEvent = { type: "todos_written", items: [{ content: "one", status: "pending" }] };

  test("clears throttles, and not what a session may have at most", async () => {
    const config = { attachments: { todo_reminder: { max_per_session: 2 } } };
    const session = openEngine({ config, sources: [noPlanFile] });
    await session.record(todos);
    for (let turn = 1; turn <= 5; turn++) await answered(session);
    expect(typesIn(await answered(session))).toEqual(["todo_reminder"]);
    expect(typesIn(await answered(session))).toEqual([]);
    await session.reset();
    expect(typesIn(await answered(session))).toEqual(["todo_reminder"]);
    await session.reset();
    const { trace } = await session.turn();
    expect(trace.find(({ type }) => type === "todo_reminder")).toMatchObject({
      outcome: "throttled",
      reason: "sent 2 of at most 2 times in this session",
    });
  });

  test("plan mode is told at once after it, and every fifth turn again", async () => {
    const session = openEngine({ sources: [noPlanFile] });
    await session.record(plan);
    expect(typesIn(await answered(session))).toEqual(["plan_mode"]);
    expect(typesIn(await answered(session))).toEqual([]);
    await session.reset();
    expect(typesIn(await answered(session))).toEqual(["plan_mode"]);
    expect(typesIn(await answered(session))).toEqual([]);
  });
});

describe("AC-25 sub-agents", () => {
  const mainOnly = new Set(catalogue.filter(({ tier }) => tier === "main_agent").map(({ type }) => type));

  test("never get a type that is for the main agent, whatever happens, nor their parent's one-shots", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const parent = openEngine({ config: { ...roomy, ...critical, enable_token_usage: true } });
      const parents = createWorld(random, "PARENT");
      const child = parent.subagent({ agentType: "explorer" });
      const own = createWorld(random, "CHILD");
      const said: string[] = [];
      for (let turn = 1; turn <= 15; turn++) {
        await recordAny(parent, parents.event());
        await recordAny(child, own.event());
        const { reminders, trace, commit } = await child.turn({ userPrompt: "Look around." });
        for (const { type } of reminders) expect(mainOnly).not.toContain(type);
        for (const { type, outcome, reason } of trace)
          if (mainOnly.has(type))
            expect(`${outcome}: ${reason}`).toMatch(/for the main agent only|switched off/u);
        said.push(...reminders.map(({ text }) => text));
        if (random.chance(0.7)) await commit();
        await child.record({ type: "assistant_turn" });
      }
      expect(unsaid(said, parents.marks)).toEqual(parents.marks);
      expect(said.join("")).toContain("Run the tests.");
    });
    await fc.assert(property, runs(15));
  });

  test("never get one, be it as due as can be, and get all the others", async () => {
    const attachments = catalogue.filter(({ tier }) => tier !== "event").map((one) => forced(one));
    const parent = openEngine({ attachments, config: boundless });
    const child = parent.subagent({ agentType: "explorer" });
    const due = ({ trace }: Turn) =>
      trace
        .filter(
          ({ type, outcome }) => type.startsWith("forced_") && (outcome === "sent" || outcome === "cut"),
        )
        .map(({ type }) => type);
    const spoken = attachments.filter((one) => renderAttachment(one, one.examples[0].data) !== "");
    const main = spoken.filter(({ tier }) => tier === "main_agent");
    expect(main.length).toBeGreaterThan(10);
    expect(due(await parent.turn({ userPrompt: "Go." }))).toEqual(spoken.map(({ type }) => type));
    expect(due(await child.turn({ userPrompt: "Go." }))).toEqual(
      spoken.filter((one) => !main.includes(one)).map(({ type }) => type),
    );
  });
});
