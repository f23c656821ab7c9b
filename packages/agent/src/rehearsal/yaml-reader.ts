// Reads YAML value by value. Errors name the line and what was expected.

import { didYouMean } from "sotto/internal";
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** A value and its line (or its key's line, when the value has none). */
export interface YamlPlace {
  value: unknown;
  line: number;
}

export interface Reader {
  readonly root: YamlPlace;
  /** Errors as `file:line: what was expected`, sorted by line. */
  problems(): string[];
  complain(line: number, message: string): void;
  /** The values of a mapping by key; reports unknown keys. */
  keys(place: YamlPlace, what: string, known: readonly string[]): Map<string, YamlPlace>;
  /** The values of a mapping with arbitrary keys. */
  names(place: YamlPlace, what: string): Map<string, YamlPlace>;
  list(place: YamlPlace, what: string): YamlPlace[];
  text(place: YamlPlace, what: string): string;
  whole(place: YamlPlace, what: string, least: number): number;
  /** The value as plain data. */
  data(place: YamlPlace): unknown;
}

export function createReader(source: string, file: string): Reader {
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter, prettyErrors: false });
  const found = new Map<number, string>();
  // Keep the first error of a line: others mostly follow from it.
  const complain = (line: number, message: string) => void (found.has(line) || found.set(line, message));
  const lineAt = (offset: number) => counter.linePos(offset).line;
  for (const { pos, message } of [...document.errors, ...document.warnings])
    complain(lineAt(pos[0]), `not valid YAML: ${message}`);

  function resolved(node: unknown, line: number): unknown {
    if (!isAlias(node)) return node;
    const target = node.resolve(document);
    if (target === undefined) complain(line, `expected an anchor &${node.source} above`);
    return target;
  }

  function placeOf(node: unknown, line: number): YamlPlace {
    const range = (node as Node | null | undefined)?.range;
    // A block of text starts on the line of its key.
    return { value: resolved(node, line), line: range ? lineAt(range[0]) : line };
  }

  function names(place: YamlPlace, what: string): Map<string, YamlPlace> {
    if (!isMap(place.value)) {
      complain(place.line, `expected ${what}, got ${kindOf(place.value)}`);
      return new Map();
    }
    return new Map(
      place.value.items.map(({ key, value }) => {
        const line = placeOf(key, place.line).line;
        return [String(isScalar(key) ? key.value : key), { ...placeOf(value, line), line }];
      }),
    );
  }

  return {
    root: placeOf(document.contents, 1),
    complain,
    names,
    problems: () =>
      [...found]
        .toSorted(([one], [other]) => one - other)
        .map(([line, words]) => `${file}:${line}: ${words}`),
    keys(place, what, known) {
      const all = names(place, what);
      for (const [key, { line }] of all)
        if (!known.includes(key))
          complain(line, `unknown key "${key}"${didYouMean(key, known) || `; expected ${listed(known)}`}`);
      return all;
    },
    list(place, what) {
      if (isSeq(place.value)) return place.value.items.map((item) => placeOf(item, place.line));
      complain(place.line, `expected ${what}, got ${kindOf(place.value)}`);
      return [];
    },
    text(place, what) {
      const value = isScalar(place.value) ? place.value.value : undefined;
      if (typeof value === "string") return value;
      complain(place.line, `expected ${what}, got ${kindOf(place.value)}`);
      return "";
    },
    whole(place, what, least) {
      const value = isScalar(place.value) ? place.value.value : undefined;
      if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
      complain(place.line, `expected ${what}, got ${kindOf(place.value)}`);
      return least;
    },
    data: (place) => plain(place, document, complain),
  };
}

function plain(place: YamlPlace, document: Document, complain: Reader["complain"]): unknown {
  try {
    return (place.value as Node | null)?.toJS(document);
  } catch (error) {
    // An alias without an anchor, or one that expands too much.
    complain(place.line, `not valid YAML: ${(error as Error).message}`);
    return undefined;
  }
}

/** Quoted names, joined with "or". */
export function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

function kindOf(value: unknown): string {
  if (isMap(value)) return "a mapping";
  if (isSeq(value)) return "a list";
  const scalar = isScalar(value) ? value.value : value;
  if (scalar === null || scalar === undefined) return "nothing";
  if (typeof scalar === "string") return scalar.length > 40 ? "a text" : JSON.stringify(scalar);
  return String(scalar);
}
