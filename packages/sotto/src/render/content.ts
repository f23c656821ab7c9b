// What attachments render to: text, elements, images.

import type { StoredBlock } from "../facts/event-fields.ts";

export type Part = string | Element | StoredBlock;

export type Content = string | readonly Part[];

/** An element inside a reminder: attribute values are escaped, the content is neutralised. */
export interface Element {
  tag: string;
  attributes?: Readonly<Record<string, string>>;
  content: Content;
  /** Line breaks between the tags and the content. */
  lines: boolean;
}

export function element(
  tag: string,
  content: Content,
  { attributes, lines = false }: { attributes?: Record<string, string>; lines?: boolean } = {},
): Element {
  return { tag, content, lines, ...(attributes === undefined ? {} : { attributes }) };
}
