// Reads YAML place by place, and says of each thing that is wrong where it stands and what was expected.

import { didYouMean } from "sotto/internal";
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** A value of the document and the line it stands on, or its key where it has none. */
export interface YamlPlace {
  value: unknown;
  line: number;
}

export interface Reader {
  readonly root: YamlPlace;
  /** Wrong things, each as `file:line: what was expected`, in the order of lines. */
  problems(): string[];
  complain(line: number, message: string): void;
  /** The places of a mapping by key; keys that are not known are complained about. */
  keys(place: YamlPlace, what: string, known: readonly string[]): Map<string, YamlPlace>;
  /** The places of a mapping whose keys are names of any kind. */
  names(place: YamlPlace, what: string): Map<string, YamlPlace>;
  list(place: YamlPlace, what: string): YamlPlace[];
  text(place: YamlPlace, what: string): string;
  whole(place: YamlPlace, what: string, least: number): number;
  /** Plain data: what stands there, whatever it is. */
  data(place: YamlPlace): unknown;
}

export function createReader(source: string, file: string): Reader {
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter, prettyErrors: false });
  const found = new Map<number, string>();
  // The first one of a line counts: others there mostly follow from it.
  const complain = (line: number, message: string) => void (found.has(line) || found.set(line, message));
  const lineAt = (offset: number) => counter.linePos(offset).line;
  for (const { pos, message } of [...document.errors, ...document.warnings])
    complain(lineAt(pos[0]), `not valid YAML: ${message}`);

  function resolved(node: unknown, line: number): unknown {
    if (!isAlias(node)) return node;
    const target = node.resolve(document);
    if (target === undefined) complain(line, `expected an anchor &${node.source} further up`);
    return target;
  }

  function placeOf(node: unknown, line: number): YamlPlace {
    const range = (node as Node | null | undefined)?.range;
    // A block of text begins behind its key, on the line of the key.
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
    // An alias without an anchor, or one that stands for far too much.
    complain(place.line, `not valid YAML: ${(error as Error).message}`);
    return undefined;
  }
}

/** Names in quotes, as in a sentence. */
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
