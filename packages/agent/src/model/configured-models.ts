// What config says of models: how much they take and what they cost, by how their names begin.

import { hostTables, type Problem } from "sotto";
import { z } from "zod";
import { didYouMean } from "../../../sotto/src/platform/nearest-of-src.ts";
import type { ModelFacts, Price } from "./model-facts.ts";

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

/** What is wrong in one entry leaves that one out. */
export async function configuredModels(place: ModelsPlace): Promise<ConfiguredModels> {
  const { denyRead = [], ...where } = place;
  const { tables, problems } = await hostTables({ ...where, permissions: { denyRead }, name: "models" });
  const models: ConfiguredModel[] = [];
  const wrong: Problem[] = [];
  for (const { value, problemAt } of tables) {
    if (!isTable(value)) {
      wrong.push(problemAt([], 'models: expected tables, as [models."my-model"]'));
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

/** The longest beginning that fits says it, of the name alone or with its provider. */
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
            // Where nothing is said, a cached token costs what any other does.
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
    return [problemAt(path, `${where}: ${issue.message} (the entry is left out)`)];
  return issue.keys.map((key) =>
    problemAt(
      [...path, key],
      `${where}: "${key}" is not known${didYouMean(key, KEYS)} (the entry is left out)`,
    ),
  );
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
