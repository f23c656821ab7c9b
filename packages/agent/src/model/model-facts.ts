// What is known of a model by its name: the size of its window, and what its tokens cost.

import type { TokenUsage } from "../agent-events.ts";

export interface ModelFacts {
  /** In tokens. */
  window: number;
  /** In dollars for a million tokens; absent where it is not known. */
  price?: Price;
}

export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

const DEFAULT_WINDOW = 128_000;

/** Families by how their names begin; list prices, without discounts. */
const FAMILIES: readonly [RegExp, ModelFacts][] = [
  [/^claude-opus-5-5/u, { window: 1_000_000, price: claude(4, 20) }],
  [/^claude-opus-5/u, { window: 1_000_000, price: claude(5, 25) }],
  [/^claude-opus-4-[5-9]/u, { window: 200_000, price: claude(5, 25) }],
  [/^claude-opus/u, { window: 200_000, price: claude(15, 75) }],
  [/^claude-sonnet-5/u, { window: 1_000_000, price: claude(2, 10) }],
  [/^claude-sonnet|^claude-3-[57]-sonnet/u, { window: 200_000, price: claude(3, 15) }],
  [/^claude-haiku/u, { window: 200_000, price: claude(1, 5) }],
  [/^claude/u, { window: 200_000 }],
  [
    /^gpt-5\.6(?:-sol|$)/u,
    { window: 1_050_000, price: { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 6.25 } },
  ],
  [
    /^gpt-5-mini/u,
    { window: 400_000, price: { input: 0.25, output: 2, cacheRead: 0.025, cacheWrite: 0.25 } },
  ],
  [
    /^gpt-5-nano/u,
    { window: 400_000, price: { input: 0.05, output: 0.4, cacheRead: 0.005, cacheWrite: 0.05 } },
  ],
  [/^gpt-5/u, { window: 400_000, price: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.25 } }],
  [/^gpt-4\.1/u, { window: 1_000_000, price: { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 2 } }],
  [
    /^gemini-2\.5-pro/u,
    { window: 1_000_000, price: { input: 1.25, output: 10, cacheRead: 0.31, cacheWrite: 1.25 } },
  ],
  [
    /^gemini-2\.5-flash/u,
    { window: 1_000_000, price: { input: 0.3, output: 2.5, cacheRead: 0.075, cacheWrite: 0.3 } },
  ],
  [/^gemini/u, { window: 1_000_000 }],
];

export function modelFacts(name: string): ModelFacts {
  const bare = name.slice(name.lastIndexOf("/") + 1);
  return FAMILIES.find(([pattern]) => pattern.test(bare))?.[1] ?? { window: DEFAULT_WINDOW };
}

/** In dollars; nothing where the price is not known. */
export function costOf(
  { input, output, cacheRead, cacheWrite }: TokenUsage,
  price: Price | undefined,
): number | undefined {
  if (price === undefined) return undefined;
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  const million =
    fresh * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite;
  return million / 1_000_000;
}

function claude(input: number, output: number): Price {
  return { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 };
}
