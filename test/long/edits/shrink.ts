// Makes a failing plan short: takes steps and habits away as long as the same fault is still found.

import type { Fault } from "./judge.ts";
import type { Plan, Step } from "./plan.ts";
import { play } from "./play.ts";

export async function shrink(plan: Plan, fault: Fault): Promise<Plan> {
  let best = plan;
  for (const simpler of habitsOf(plan)) if (await fails(simpler(best), fault)) best = simpler(best);
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = best.steps.length - size; at >= 0; at -= size) {
      const steps = best.steps.toSpliced(at, size);
      if (await fails({ ...best, steps }, fault)) best = { ...best, steps };
      at = Math.min(at, best.steps.length);
    }
  }
  for (const [at, step] of best.steps.entries()) {
    for (const simple of simplerSteps(step)) {
      const steps = best.steps.with(at, simple);
      if (await fails({ ...best, steps }, fault)) best = { ...best, steps };
    }
  }
  return best;
}

async function fails(plan: Plan, fault: Fault): Promise<boolean> {
  const { findings } = await play(plan);
  return findings.some((finding) => finding.fault === fault);
}

function habitsOf({ habits }: Plan): ((plan: Plan) => Plan)[] {
  const plain = { keeps: false, bodies: "fresh", store: "memory", always: [] } as const;
  return (Object.keys(habits) as (keyof typeof plain)[]).map((name) => (plan) => ({
    ...plan,
    habits: { ...plan.habits, [name]: plain[name] },
  }));
}

function simplerSteps(step: Step): Step[] {
  if (step.do === "event") return [{ ...step, shape: 0 }];
  if (step.do !== "call") return [];
  const plain = { ...step, answer: { text: "Well.", calls: [] } };
  const oneCall = { ...step, answer: { calls: step.answer.calls.slice(0, 1) } };
  return [{ ...step, fate: "answered" }, { ...step, commit: true }, oneCall, plain];
}
