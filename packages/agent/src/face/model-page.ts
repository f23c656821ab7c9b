// What `/model` and `/cost` show and say.

import { count } from "../terminal/text.ts";
import type { Run } from "../run-options.ts";
import { usageLine } from "./event-line.ts";
import { safe } from "../terminal/safe-text.ts";

export async function modelPage(run: Run, name: string | undefined): Promise<string> {
  if (name === undefined)
    return `The model is ${run.modelName}. /model PROVIDER/NAME goes on with another one.`;
  const before = run.modelName;
  try {
    const now = await run.changeModel(name);
    return now === before
      ? `The model is ${now} already.`
      : `The model is ${now} from the next call on. That call reads the whole conversation anew, without the cache.`;
  } catch (error) {
    return safe((error as Error).message);
  }
}

export function costPage({ agent: { spent }, modelName }: Pick<Run, "agent" | "modelName">): string {
  const { calls, usage, costUsd } = spent;
  if (calls === 0) return "No call was made yet.";
  const price = costUsd === undefined ? ` The price of ${modelName} is not known.` : "";
  const cost = costUsd === undefined ? {} : { costUsd };
  return `${count(calls, "call")}: ${usageLine(usage, cost)}.${price}`;
}
