// The user's own text instead of a type's, with the tag and the images of the built-in one.

import type { StoredBlock } from "../../facts/event-fields.ts";
import { errorText } from "../../platform/errors.ts";
import type { Content, Element, Part } from "../content.ts";
import type { Field, Template, TemplateNode } from "./parse-template.ts";

/** A file found for a type: a template, or why it is not valid. */
export type TypeTemplate = {
  path: string;
  /** The file belongs to the project. */
  ofProject?: true;
} & ({ template: Template } | { problem: string });

export interface Templated {
  content: Content;
  /** The type's tag goes around it, as around the built-in text. */
  inTag: boolean;
  note: string;
  /** The text is from a project's template. */
  ofProject?: true;
}

/** Uses the built-in text if the template cannot be used; never throws. */
export function withTemplate(builtIn: Content, given: TypeTemplate, data: unknown): Templated {
  const unused = (why: string) => ({
    content: builtIn,
    inTag: true,
    note: `built-in text, ${given.path} is not used: ${why}`,
  });
  if ("problem" in given) return unused(given.problem);
  try {
    const text = fillTemplate(given.template, data);
    if (text === "") return unused("its text is empty here");
    const whose = given.ofProject ? { ofProject: true as const } : {};
    return { ...inPlaceOf(builtIn, text), ...whose, note: `text from ${given.path}` };
  } catch (error) {
    return unused(errorText(error));
  }
}

/** A tag around all of a type's text also goes around the template's; images stay. */
function inPlaceOf(builtIn: Content, text: string): Pick<Templated, "content" | "inTag"> {
  const parts = typeof builtIn === "string" ? [builtIn] : builtIn;
  const images = parts.filter(isImage);
  const [first, ...others] = parts;
  const isOneTag = first !== undefined && others.length === 0 && isElement(first);
  if (isOneTag && first.attributes === undefined)
    return { content: [{ ...first, content: text }], inTag: true };
  return { content: [text, ...images], inTag: false };
}

function isElement(part: Part): part is Element {
  return typeof part === "object" && "tag" in part;
}

function isImage(part: Part): part is Extract<StoredBlock, { type: "image" }> {
  return typeof part === "object" && "type" in part && part.type === "image";
}

// Fills a template with an attachment's data, within limits.

// Far more than any budget permits.
const MOST_CHARACTERS = 400_000;
const MOST_STEPS = 200_000;

/** The text with the data filled in; throws if it grows beyond the limits. */
export function fillTemplate({ nodes }: Template, data: unknown): string {
  const parts: string[] = [];
  let left = MOST_CHARACTERS;
  let steps = MOST_STEPS;
  const put = (text: string) => {
    left -= text.length;
    if (left < 0) throw new Error(`its template produces more than ${MOST_CHARACTERS} characters`);
    parts.push(text);
  };
  const step = () => {
    if (--steps < 0) throw new Error(`its template takes more than ${MOST_STEPS} steps`);
  };
  const fill = (list: readonly TemplateNode[], scopes: readonly unknown[]) => {
    for (const node of list) {
      step();
      if (typeof node === "string") {
        put(node);
        continue;
      }
      const value = valueAt(node.field, scopes);
      if (node.kind === "field") put(textOf(value));
      else if (node.kind === "if") fill(holds(value) ? node.body : node.otherwise, scopes);
      else if (Array.isArray(value))
        for (const item of value) {
          step();
          fill(node.body, [...scopes, item]);
        }
    }
  };
  fill(nodes, [data]);
  return parts.join("").trim();
}

function valueAt({ scope, way }: Field, scopes: readonly unknown[]): unknown {
  let value = scopes[scope];
  for (const name of way) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

function holds(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
