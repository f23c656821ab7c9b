// The mode machine: what the model was last told is the mode, whatever fails or is summed up on the way.

import fc from "fast-check";
import type { Session } from "sotto";
import type { Source } from "sotto/extend";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { handWires, prompt } from "../support/agent-wire.ts";
import { openEngine, roomy } from "../support/open-engine.ts";
import { remindersIn } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";

// In ten thousand transitions altogether each kind of host sees every short sequence many times.
const TRANSITIONS = 500;
const MODES = ["plan", "plan", "normal", "delegate", "accept_edits"];

type Word = "on" | "left" | "again";

function wordsIn(texts: readonly string[]): Word[] {
  return texts.flatMap((text): Word[] => {
    if (text.includes("## Re-entering Plan Mode")) return ["again"];
    if (text.includes("## Exited Plan Mode")) return ["left"];
    return /Plan mode is (still )?on/u.test(text) ? ["on"] : [];
  });
}

function isOn(texts: readonly string[]): boolean {
  return wordsIn(texts).findLast((word) => word !== "again") === "on";
}

/** No exit without something to leave, none twice; a return is told with the entry it belongs to. */
function checkOrder(texts: readonly string[], summedUp: boolean): void {
  // A summary may say that plan mode was on.
  const words: Word[] = [...(summedUp ? (["on"] as const) : []), ...wordsIn(texts)];
  for (const [index, word] of words.entries()) {
    const before = words.slice(0, index).findLast((one) => one !== "again");
    if (word === "left") expect(before).toBe("on");
    if (word === "again") expect(words[index + 1]).toBe("on");
  }
}

interface Switches {
  mode: string;
  planExists: boolean;
  transitions: number;
}

async function switchModes(session: Session, random: Random, at: Switches): Promise<void> {
  for (let count = random.below(4); count > 0; count--) {
    at.mode = random.pick(MODES);
    at.transitions += 1;
    await session.record({ type: "mode_changed", mode: at.mode, planFilePath: "/repo/plan.md" });
  }
  if (random.chance(0.2)) at.planExists = !at.planExists;
}

function open(at: Switches): Session {
  const planFile: Source = { fact: "planFile", observe: () => ({ exists: at.planExists }) };
  return openEngine({ config: roomy, sources: [planFile] });
}

describe("AC-22 AC-47", () => {
  test("a host that places reminders itself: what its model was last told is the mode", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const at = { mode: "normal", planExists: random.chance(0.5), transitions: 0 };
      const session = open(at);
      let history: string[] = [];
      let summedUp = false;
      while (at.transitions < TRANSITIONS) {
        await switchModes(session, random, at);
        if (random.chance(0.05)) {
          await session.record({ type: "compacted" });
          summedUp = true;
          history = [];
        }
        const { reminders, commit, abandon } = await session.turn();
        const texts = reminders.map(({ text }) => text);
        const words = wordsIn(texts);
        expect(words.includes("on") && words.includes("left")).toBe(false);
        expect(isOn([...history, ...texts])).toBe(at.mode === "plan");
        if (random.chance(0.25)) {
          await abandon();
          continue;
        }
        history.push(...texts);
        checkOrder(history, summedUp);
        await commit();
        await session.record({ type: "assistant_turn" });
      }
    });
    await fc.assert(property, runs(12));
  });

  test.each(handWires)("$name: in every request the last word about the mode is true", async (wire) => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const at = { mode: "normal", planExists: random.chance(0.5), transitions: 0 };
      const session = open(at);
      const client = createClient(wire, random, { keeps: random.chance(0.5) });
      while (at.transitions < TRANSITIONS) {
        await switchModes(session, random, at);
        if (random.chance(0.1)) {
          await session.record({ type: "compacted" });
          client.messages = [prompt(`Summary ${at.transitions}.`)];
        }
        const turn = await session.turn({ dialect: wire.dialect, body: client.request() });
        const fresh = wordsIn(turn.reminders.filter(({ again }) => !again).map(({ text }) => text));
        expect(fresh.includes("on") && fresh.includes("left")).toBe(false);
        expect(isOn(remindersIn(wire, turn.body))).toBe(at.mode === "plan");
        if (random.chance(0.4)) await turn.commit();
        else if (random.chance(0.5)) await turn.abandon();
        client.sent(turn.body);
        if (random.chance(0.8)) client.goOn();
      }
    });
    await fc.assert(property, runs(4));
  });

  test("AC-22 stories: entered and left in silence, an exit cancelled, an exit and a return told once", async () => {
    const at = { mode: "normal", planExists: true, transitions: 0 };
    const session = open(at);
    const story: string[] = [];
    const tell = async (...modes: string[]) => {
      for (const mode of modes)
        await session.record({ type: "mode_changed", mode, planFilePath: "/repo/plan.md" });
      const { reminders, commit } = await session.turn();
      await commit();
      await session.record({ type: "assistant_turn" });
      story.push(
        `${modes.join(", ") || "-"}: ${wordsIn(reminders.map(({ text }) => text)).join(", ") || "-"}`,
      );
    };
    await tell("plan", "normal");
    await tell();
    await tell("plan");
    await tell();
    await tell("normal", "plan");
    await tell("normal");
    await tell();
    await tell("plan");
    await tell("delegate");
    await tell("plan", "normal", "plan");
    expect(story).toEqual([
      "plan, normal: -",
      "-: -",
      "plan: again, on",
      "-: -",
      "normal, plan: again, on",
      "normal: left",
      "-: -",
      "plan: again, on",
      "delegate: left",
      "plan, normal, plan: again, on",
    ]);
  });
});
