// What a host adds to the built-in parts, checked: its attachment types and its sources.

import type { Attachment } from "../attachments/attachment.ts";
import { namesIn } from "../config/schema.ts";
import { engineFacts, initialFacts } from "../facts/facts.ts";
import { errorText, isA, SottoError } from "../platform/errors.ts";
import { nearest } from "../platform/nearest.ts";
import type { Source } from "../sources/source.ts";
import type { SessionParts } from "./engine.ts";
import { guardSource } from "./guard-source.ts";
import type { EngineOptions } from "./options.ts";

/**
 * A host's own source replaces a built-in one. `ownedSources`: those that this session starts and closes. `timeoutMs`: the
 * deadline of turns now.
 */
export function sourcesOf(
  parts: SessionParts,
  options: EngineOptions,
  { borrows = false, timeoutMs }: { borrows?: boolean | undefined; timeoutMs(): number },
) {
  const given = guarded(options.sources ?? [], parts.platform, timeoutMs);
  const facts = new Set(given.map(({ fact }) => fact));
  const builtIn = parts.sources(options).filter(({ fact }) => !facts.has(fact));
  const sources = [...builtIn, ...given];
  checkSources(given, builtIn);
  return { sources, ownedSources: borrows ? builtIn : sources };
}

/** Together they may keep an event for half of a turn's time: that turn still asks what it has to ask. */
function guarded(
  own: readonly Source[],
  platform: SessionParts["platform"],
  timeoutMs: () => number,
): readonly Source[] {
  let preparing = 0;
  const prepareMs = () => timeoutMs() / 2 / preparing;
  return own.map((source, index) => {
    const where = `sources[${index}]`;
    try {
      checkFields(where, source);
      const one = guardSource(source, { platform, prepareMs });
      if (one.prepare !== undefined) preparing++;
      return one;
    } catch (error) {
      if (isA(error, SottoError)) throw error;
      throw wrong(`${where}: it cannot be read: ${errorText(error)}`);
    }
  });
}

/** Config, templates and the log know a type by its name: no two may share one. */
export function checkOwnTypes(own: readonly Attachment[], builtIn: readonly Attachment[]): void {
  if (own.length === 0) return;
  const taken = new Set(namesIn(builtIn));
  const types = new Set<string>();
  for (const [index, { type, generator, aliases = [] }] of own.entries()) {
    const where = `attachments[${index}]`;
    if (types.has(type)) throw wrong(`${where}: there are two of the type "${type}"`);
    types.add(type);
    const clash = [type, generator, ...aliases].find((name) => taken.has(name));
    if (clash !== undefined)
      throw wrong(`${where}: "${clash}" is the name of a built-in type; give "${type}" a name of its own`);
  }
}

/** A host's own source may replace a built-in one. */
function checkSources(own: readonly Source[], builtIn: readonly Source[]): void {
  const recorded = [...Object.keys(initialFacts()), ...engineFacts];
  const facts: string[] = [...builtIn, ...own].map(({ fact }) => fact);
  for (const [index, source] of own.entries()) {
    const where = `sources[${index}]`;
    const { fact, after = [] } = source;
    if (recorded.includes(fact))
      throw wrong(`${where}: "${fact}" is not observed: it comes from what is recorded`);
    if (own.findIndex((one) => one.fact === fact) < index)
      throw wrong(`${where}: there are two sources of "${fact}"`);
    const unknown = after.find((name) => !facts.includes(name));
    if (unknown !== undefined) {
      const right = nearest(unknown, facts);
      const hint = right === undefined ? "" : `; did you mean "${right}"?`;
      throw wrong(`${where}.after: no source observes "${unknown}"${hint}`);
    }
  }
  checkOrder(own);
}

/** A source may have fields of its own, but a misspelt `close` would never be called. */
function checkFields(where: string, source: Source): void {
  const given = source as unknown as Readonly<Record<string, unknown>>;
  for (const name of namesByKind.list ?? [])
    if (given[name] !== undefined && !isListOfNames(given[name]))
      throw wrong(`${where}.${name}: expected a list of facts`);
  for (const name of namesByKind.function ?? [])
    if (!["function", "undefined"].includes(typeof given[name]))
      throw wrong(`${where}.${name}: expected a function`);
  for (const [key, value] of Object.entries(given)) {
    const names = namesByKind[kindOf(value)] ?? [];
    const right = names.includes(key) ? undefined : nearest(key, names, 1);
    if (right !== undefined && given[right] === undefined)
      throw wrong(`${where}.${key}: no such field; did you mean "${right}"?`);
  }
}

const namesByKind: Readonly<Record<string, readonly string[]>> = {
  function: ["observe", "start", "servers", "warm", "prepare", "notice", "problems", "sleep", "close"],
  list: ["after", "behind"],
  boolean: ["forPrompt"],
};

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

function checkOrder(own: readonly Source[]): void {
  const afterOf = new Map<string, readonly string[]>(own.map(({ fact, after = [] }) => [fact, after]));
  const visit = (fact: string, way: readonly string[]) => {
    if (way.includes(fact))
      throw wrong(
        `sources: ${[...way.slice(way.indexOf(fact)), fact].map((name) => `"${name}"`).join(" waits for ")}`,
      );
    for (const next of afterOf.get(fact) ?? []) visit(next, [...way, fact]);
  };
  for (const { fact } of own) visit(fact, []);
}

function wrong(words: string): SottoError {
  return new SottoError("invalid_options", `createSession: ${words}`);
}
