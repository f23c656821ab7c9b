// What attachments render to: text, elements, images.

import type { StoredBlock } from "../facts/event-fields.ts";

/** A part of an attachment's content: text, an element, or an image. */
export type Part = string | Element | StoredBlock;

/** What an attachment renders: text, or a list of parts. */
export type Content = string | readonly Part[];

/** An element inside a reminder: attribute values are escaped, the content is neutralised. */
export interface Element {
  tag: string;
  attributes?: Readonly<Record<string, string>>;
  content: Content;
  /** Line breaks between the tags and the content. */
  lines: boolean;
}

/** Makes an element: a tag with attributes and content. */
export function element(
  tag: string,
  content: Content,
  { attributes, lines = false }: { attributes?: Record<string, string>; lines?: boolean } = {},
): Element {
  return { tag, content, lines, ...(attributes === undefined ? {} : { attributes }) };
}
