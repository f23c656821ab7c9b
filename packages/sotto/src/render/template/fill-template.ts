// Filling a template in with an attachment's data, within bounds.

import type { Field, Template, TemplateNode } from "./parse-template.ts";

// Far more than any budget lets through.
const MOST_CHARACTERS = 400_000;
const MOST_STEPS = 200_000;

/** The text with the data filled in; throws where it grows past all bounds. */
export function fillTemplate({ nodes }: Template, data: unknown): string {
  const parts: string[] = [];
  let left = MOST_CHARACTERS;
  let steps = MOST_STEPS;
  const put = (text: string) => {
    left -= text.length;
    if (left < 0) throw new Error(`its template makes more than ${MOST_CHARACTERS} characters`);
    parts.push(text);
  };
  const fill = (list: readonly TemplateNode[], scopes: readonly unknown[]) => {
    for (const node of list) {
      if (--steps < 0) throw new Error(`its template takes more than ${MOST_STEPS} steps`);
      if (typeof node === "string") {
        put(node);
        continue;
      }
      const value = valueAt(node.field, scopes);
      if (node.kind === "field") put(textOf(value));
      else if (node.kind === "if") fill(holds(value) ? node.body : node.otherwise, scopes);
      else if (Array.isArray(value)) for (const item of value) fill(node.body, [...scopes, item]);
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
