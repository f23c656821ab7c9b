// Context windows and prices of models, built in and from config, and token counts.

import type { LanguageModelUsage } from "ai";
import type { Problem } from "sotto";
import { didYouMean, hostTables } from "sotto/internal";
import { z } from "zod";
import type { TokenUsage } from "../agent-events.ts";

export interface ModelFacts {
  /** In tokens. */
  window: number;
  /** In dollars per million tokens; absent when not known. */
  price?: Price;
}

export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

const DEFAULT_WINDOW = 128_000;

/** Model families by name prefix; list prices. */
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

/** In dollars; undefined when the price is not known. */
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

// Windows and prices from config, by name prefix.

export interface ConfiguredModel {
  prefix: string;
  window?: number;
  price?: Price;
}

export interface ConfiguredModels {
  /** Later ones win. */
  models: readonly ConfiguredModel[];
  problems: readonly Problem[];
}

const dollars = z.number().min(0).max(1_000_000);
const price = z.strictObject({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});
const entry = z.strictObject({
  window: z.number().int().min(1000).max(1_000_000_000).optional(),
  price: price.optional(),
});
const KEYS = [...Object.keys(entry.shape), ...Object.keys(price.shape)];

interface ModelsPlace {
  cwd: string;
  home?: string;
  denyRead?: readonly string[];
}

/** An invalid entry is skipped and reported. */
export async function configuredModels(place: ModelsPlace): Promise<ConfiguredModels> {
  const { denyRead = [], ...where } = place;
  const { tables, problems } = await hostTables({ ...where, permissions: { denyRead }, name: "models" });
  const models: ConfiguredModel[] = [];
  const wrong: Problem[] = [];
  for (const { value, problemAt } of tables) {
    if (!isTable(value)) {
      wrong.push(problemAt([], 'models: expected tables such as [models."my-model"]'));
      continue;
    }
    for (const [prefix, given] of Object.entries(value)) {
      const { success, data, error } = entry.safeParse(given);
      if (success) models.push(modelOf(prefix, data));
      else wrong.push(...error.issues.flatMap((issue) => wordsFor(issue, prefix, problemAt)));
    }
  }
  return { models, problems: [...problems, ...wrong] };
}

/** The longest matching prefix wins, with or without the provider. */
export function configuredFacts(models: readonly ConfiguredModel[], id: string): Partial<ModelFacts> {
  const names = [id, id.slice(id.indexOf("/") + 1), id.slice(id.lastIndexOf("/") + 1)];
  const fitting = models
    .filter(({ prefix }) => names.some((name) => name.startsWith(prefix)))
    .sort((a, b) => a.prefix.length - b.prefix.length);
  const window = fitting.findLast((one) => one.window !== undefined)?.window;
  const known = fitting.findLast((one) => one.price !== undefined)?.price;
  return { ...(window === undefined ? {} : { window }), ...(known === undefined ? {} : { price: known }) };
}

function modelOf(prefix: string, { window, price: given }: z.infer<typeof entry>): ConfiguredModel {
  return {
    prefix,
    ...(window === undefined ? {} : { window }),
    ...(given === undefined
      ? {}
      : {
          price: {
            input: given.input,
            output: given.output,
            // Default: a cached token costs as much as any other.
            cacheRead: given.cache_read ?? given.input,
            cacheWrite: given.cache_write ?? given.input,
          },
        }),
  };
}

function wordsFor(
  issue: z.core.$ZodIssue,
  prefix: string,
  problemAt: (keys: readonly string[], problem: string) => Problem,
): Problem[] {
  const path = [prefix, ...issue.path.map(String)];
  const where = ["models", JSON.stringify(prefix), ...path.slice(1)].join(".");
  if (issue.code !== "unrecognized_keys")
    return [problemAt(path, `${where}: ${issue.message} (entry ignored)`)];
  return issue.keys.map((key) =>
    problemAt([...path, key], `${where}: unknown key "${key}"${didYouMean(key, KEYS)} (entry ignored)`),
  );
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

// Token counts, as reported by providers.

export const noUsage: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function usageFrom({ inputTokens, inputTokenDetails, outputTokens }: LanguageModelUsage): TokenUsage {
  return {
    input: inputTokens ?? 0,
    output: outputTokens ?? 0,
    cacheRead: inputTokenDetails?.cacheReadTokens ?? 0,
    cacheWrite: inputTokenDetails?.cacheWriteTokens ?? 0,
  };
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
