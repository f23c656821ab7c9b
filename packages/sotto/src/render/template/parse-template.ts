// Templates: a user's own text for a type, with the fields of its data. Parsed once, in one pass.

import type * as v from "valibot";
import { nearest } from "../../platform/nearest.ts";

/** A field: which of the open scopes it is in, and the path from there. */
export interface Field {
  scope: number;
  way: readonly string[];
}

export type TemplateNode =
  | string
  | { kind: "field"; field: Field }
  | { kind: "if"; field: Field; body: TemplateNode[]; otherwise: TemplateNode[] }
  | { kind: "each"; field: Field; body: TemplateNode[] };

export interface Template {
  nodes: readonly TemplateNode[];
}

export interface TemplateProblem {
  line: number;
  column: number;
  problem: string;
}

/** A block that is still open. */
interface Open {
  name: "if" | "each";
  at: number;
  into: TemplateNode[];
  otherwise?: TemplateNode[];
}

const LONGEST = 100_000;
const LONGEST_TAG = 200;
const DEEPEST = 20;
const WAY = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/u;

export function parseTemplate(source: string, schema: Schema): Template | TemplateProblem {
  const scopes = [alternatives(schema)];
  const open: Open[] = [];
  const root: TemplateNode[] = [];
  let into = root;
  let position = 0;
  const wrong = (problem: string, at: number): TemplateProblem => ({ ...placeOf(source, at), problem });
  if (source.length > LONGEST)
    return wrong(`a template has at most ${LONGEST} characters, this one ${source.length}`, 0);

  const close = (name: Open["name"], at: number): TemplateProblem | undefined => {
    const block = open.pop();
    if (block?.name !== name)
      return wrong(
        block === undefined ? `{{/${name}}} closes nothing` : `{{/${name}}} closes {{#${block.name}}}`,
        at,
      );
    if (name === "each") scopes.pop();
    into = open.at(-1)?.into ?? root;
    return undefined;
  };
  const begin = (name: Open["name"], written: string, at: number): TemplateProblem | undefined => {
    const found = findField(written, scopes);
    if (typeof found === "string") return wrong(found, at);
    if (open.length >= DEEPEST) return wrong(`blocks may be nested at most ${DEEPEST} deep`, at);
    const { schemas, ...field } = found;
    const items = name === "each" ? itemsOf(schemas) : undefined;
    if (name === "each" && items === undefined) return wrong(`"${written}" is not a list`, at);
    const body: TemplateNode[] = [];
    const otherwise: TemplateNode[] = [];
    into.push(name === "each" ? { kind: "each", field, body } : { kind: "if", field, body, otherwise });
    open.push({ name, at, into: body, ...(name === "if" ? { otherwise } : {}) });
    if (items !== undefined) scopes.push(items);
    into = body;
    return undefined;
  };
  const take = (tag: string, at: number): TemplateProblem | undefined => {
    const [, name, written = ""] = /^#(if|each)\s+(.*)$/su.exec(tag) ?? [];
    if (name !== undefined) return begin(name as Open["name"], written.trim(), at);
    if (tag === "/if" || tag === "/each") return close(tag.slice(1) as Open["name"], at);
    if (tag === "else") {
      const block = open.at(-1);
      if (block?.otherwise === undefined) return wrong("{{else}} is not inside {{#if}}", at);
      into = block.otherwise;
      block.into = into;
      delete block.otherwise;
      return undefined;
    }
    if (/^[#/]/u.test(tag))
      return wrong(`{{${tag}}} is not known; there are #if, #each, else, /if, /each`, at);
    const found = findField(tag, scopes);
    if (typeof found === "string") return wrong(found, at);
    const { schemas, ...field } = found;
    if (!isText(schemas)) return wrong(`"${tag}" is not text; use {{#each}} for a list`, at);
    into.push({ kind: "field", field });
    return undefined;
  };

  for (let at = source.indexOf("{{"); at !== -1; at = source.indexOf("{{", position)) {
    const end = source.indexOf("}}", at);
    if (end === -1) return wrong("{{ is never closed", at);
    if (end - at > LONGEST_TAG) return wrong("{{ is not closed on its line", at);
    const tag = source.slice(at + 2, end).trim();
    const { from, to } = isBlock(tag) ? wholeLine(source, position, at, end + 2) : { from: at, to: end + 2 };
    if (from > position) into.push(source.slice(position, from));
    const problem = take(tag, at);
    if (problem !== undefined) return problem;
    position = to;
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) return wrong(`{{#${unclosed.name}}} is never closed`, unclosed.at);
  if (position < source.length) root.push(source.slice(position));
  return { nodes: root };
}

/** The innermost scope that has its first name. */
function findField(written: string, scopes: readonly Schema[][]): (Field & { schemas: Schema[] }) | string {
  if (!WAY.test(written)) return `"${written}" is not a field: write name or name.inner`;
  const [first = "", ...rest] = written.split(".");
  const isThis = first === "this" && scopes.length > 1;
  const scope = isThis ? scopes.length - 1 : scopes.findLastIndex((one) => fieldOf(one, first) !== undefined);
  const way = isThis ? rest : [first, ...rest];
  let schemas = scopes[Math.max(scope, 0)] as Schema[];
  for (const name of way) {
    const next = fieldOf(schemas, name);
    if (next === undefined) {
      const right = nearest(name, namesIn(schemas));
      return `"${written}": there is no field "${name}"${right === undefined ? "" : `; did you mean "${right}"?`}`;
    }
    schemas = next;
  }
  return { scope: Math.max(scope, 0), way, schemas };
}

function isBlock(tag: string): boolean {
  return /^[#/]/u.test(tag) || tag === "else";
}

/** A block tag alone on its line removes the line. */
function wholeLine(source: string, after: number, at: number, end: number): { from: number; to: number } {
  let from = at;
  while (from > after && isBlank(source[from - 1])) from--;
  let to = end;
  while (isBlank(source[to])) to++;
  if (source[to] === "\r" && source[to + 1] === "\n") to++;
  const isAlone = (from === 0 || source[from - 1] === "\n") && (to >= source.length || source[to] === "\n");
  return isAlone ? { from, to: Math.min(to + 1, source.length) } : { from: at, to: end };
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

function placeOf(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

// What a template may name: the fields of an attachment's schema.

export type Schema = v.GenericSchema;

/** A schema of any kind, as far as its fields are known. */
interface Parts {
  type: string;
  entries?: Record<string, Schema>;
  item?: Schema;
  wrapped?: Schema;
  options?: readonly Schema[];
  value?: Schema;
}

/** Everything a value can be: the alternatives, without wrappers. */
export function alternatives(schema: Schema, depth = 0): Schema[] {
  const { wrapped, options } = partsOf(schema);
  if (depth > 20) return [];
  if (wrapped !== undefined) return alternatives(wrapped, depth + 1);
  if (options?.every((one) => typeof one === "object"))
    return options.flatMap((one) => alternatives(one, depth + 1));
  return [schema];
}

/** What a name leads to, over all alternatives; undefined if no alternative has it. */
export function fieldOf(schemas: readonly Schema[], name: string): Schema[] | undefined {
  const found = schemas.flatMap((schema) => {
    const { entries, type, value } = partsOf(schema);
    if (entries !== undefined) return Object.hasOwn(entries, name) ? [entries[name] as Schema] : [];
    if (type === "record" && value !== undefined) return [value];
    return isOpen(schema) ? [schema] : [];
  });
  return found.length === 0 ? undefined : found.flatMap((one) => alternatives(one));
}

export function namesIn(schemas: readonly Schema[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(partsOf(schema).entries ?? {})))];
}

/** The items of a list; undefined if it is not one. */
export function itemsOf(schemas: readonly Schema[]): Schema[] | undefined {
  const found = schemas.flatMap((schema) => {
    const { item } = partsOf(schema);
    return item === undefined ? (isOpen(schema) ? [schema] : []) : alternatives(item);
  });
  return found.length === 0 ? undefined : found;
}

/** Whether it can be shown as text. */
export function isText(schemas: readonly Schema[]): boolean {
  return schemas.some((schema) => {
    const { entries, item, type } = partsOf(schema);
    return entries === undefined && item === undefined && type !== "record";
  });
}

/** The schema does not say what it holds. */
function isOpen(schema: Schema): boolean {
  return ["unknown", "any", "lazy", "custom"].includes(partsOf(schema).type);
}

function partsOf(schema: Schema): Parts {
  return schema as unknown as Parts;
}
