// What attachments render to: text, elements, images.

import type { StoredBlock } from "../facts/event-fields.ts";
import { SottoError } from "../platform/errors.ts";
import { createNeutraliser, type Neutraliser } from "./neutralise/neutralise.ts";

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

/** For built-in types, whose tags are reserved. */
export function element(
  tag: string,
  content: Content,
  { attributes, lines = false }: { attributes?: Record<string, string>; lines?: boolean } = {},
): Element {
  return { tag, content, lines, ...(attributes === undefined ? {} : { attributes }) };
}

/** Makes an element: a tag with attributes and content. The content cannot end it. */
export function hostElement(
  tag: string,
  content: Content,
  options: { attributes?: Record<string, string>; lines?: boolean } = {},
): Element {
  const made = element(tag, content, options);
  checkNames(made);
  if (isReserved(tag)) throw wrong(`the tag "${tag}" is reserved; use another`);
  return made;
}

const NAME = /^[A-Za-z_][\w.-]{0,99}$/u;

/** Throws unless its tag and attributes have proper names: anything else could end the tag early. */
export function checkNames({ tag, attributes = {} }: Element): void {
  const names = { tag: [tag], attribute: Object.keys(attributes) };
  for (const [what, given] of Object.entries(names))
    for (const name of given)
      if (typeof name !== "string" || !NAME.test(name))
        throw wrong(
          `${JSON.stringify(name)} cannot be the name of a${what === "tag" ? " tag" : "n attribute"}: letters, digits, _ . and - can`,
        );
}

let neutraliser: Neutraliser | undefined;

/** Whether a tag of this name is neutralised in untrusted text. */
export function isReserved(tag: string): boolean {
  neutraliser ??= createNeutraliser();
  return neutraliser.text(`<${tag}>`) !== `<${tag}>`;
}

function wrong(words: string): SottoError {
  return new SottoError("invalid_attachment", `element: ${words}`);
}
