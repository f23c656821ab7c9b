// Says why a body is no Gemini request that can be read, naming the field.

import { isFields } from "./shared.ts";

export interface Content {
  readonly role?: string;
  readonly parts?: readonly object[] | null;
}

/** A part has neither. */
export function isContent(value: unknown): value is Content {
  return isFields(value) && ("parts" in value || "role" in value);
}

export function problemOfContents(body: unknown): string | undefined {
  try {
    if (!isFields(body)) return "body: expected an object";
    const { contents } = body;
    if (typeof contents === "string") return undefined;
    if (!Array.isArray(contents))
      return isFields(contents) ? problemOfOne(contents, "contents") : "contents: expected a list";
    const whole = contents.some(isContent);
    for (let index = 0; index < contents.length; index++) {
      const where = `contents.${index}`;
      const one = contents[index];
      const found =
        whole && !isContent(one) ? `${where}: expected an object with parts` : problemOfOne(one, where);
      if (found) return found;
    }
    return undefined;
  } catch {
    // A getter or a proxy of the host's threw: no body that anyone could send.
    return "body: cannot be read";
  }
}

function problemOfOne(value: unknown, where: string): string | undefined {
  if (!isContent(value)) return problemOfPart(value, where);
  const { role, parts } = value;
  if (role != null && typeof role !== "string") return `${where}.role: expected a string`;
  if (parts == null) return undefined;
  if (!Array.isArray(parts)) return `${where}.parts: expected a list`;
  for (let index = 0; index < parts.length; index++) {
    const part: unknown = parts[index];
    const found = isFields(part)
      ? problemOfPart(part, `${where}.parts.${index}`)
      : `${where}.parts.${index}: expected an object`;
    if (found) return found;
  }
  return undefined;
}

function problemOfPart(part: unknown, where: string): string | undefined {
  if (typeof part === "string") return undefined;
  if (!isFields(part)) return `${where}: expected an object`;
  return part.text != null && typeof part.text !== "string" ? `${where}.text: expected a string` : undefined;
}
