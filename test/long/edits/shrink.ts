// Makes a failing plan short: takes steps and habits away as long as the same fault is still found.

import type { Fault } from "./judge.ts";
import type { Plan, Step } from "./plan.ts";
import { play } from "./play.ts";

/** Long conversations take long to play: after so many tries it is short enough. */
const TRIES = 200;

export async function shrink(plan: Plan, fault: Fault): Promise<Plan> {
  let best = await upToFault(plan, fault);
  let tries = 0;
  const offer = async (simpler: Plan) => {
    if (tries++ < TRIES && (await firstTurnOf(simpler, fault)) !== undefined) best = simpler;
  };
  for (const [name, value] of Object.entries(plain))
    await offer({ ...best, habits: { ...best.habits, [name]: value } });
  for (let size = Math.ceil(best.steps.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = best.steps.length - 1; at >= 0; at -= size)
      await offer({ ...best, steps: best.steps.toSpliced(Math.max(0, at - size + 1), size) });
  for (const [at, step] of best.steps.entries())
    for (const simple of simplerSteps(step)) await offer({ ...best, steps: best.steps.with(at, simple) });
  return best;
}

const plain = { keeps: false, bodies: "fresh", store: "memory", always: [] } as const;

/** What comes after the fault does not matter. */
async function upToFault(plan: Plan, fault: Fault): Promise<Plan> {
  const turn = await firstTurnOf(plan, fault);
  if (turn === undefined) return plan;
  const calls = plan.steps.flatMap((step, at) => (step.do === "call" ? [at] : []));
  const cut = { ...plan, steps: plan.steps.slice(0, (calls[turn - 1] ?? plan.steps.length) + 1) };
  return (await firstTurnOf(cut, fault)) === undefined ? plan : cut;
}

async function firstTurnOf(plan: Plan, fault: Fault): Promise<number | undefined> {
  const { findings } = await play(plan);
  return findings.find((finding) => finding.fault === fault)?.turn;
}

function simplerSteps(step: Step): Step[] {
  if (step.do === "event") return [{ ...step, shape: 0 }];
  if (step.do !== "call") return [];
  const oneCall = { ...step, answer: { calls: step.answer.calls.slice(0, 1) } };
  const words = { ...step, answer: { text: "Well.", calls: [] } };
  return [{ ...step, fate: "answered" }, { ...step, commit: true }, oneCall, words];
}
