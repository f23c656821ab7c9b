// The user's own text in place of a type's: filled in, with the tag and the images of the built-in one.

import type { Content, Element, Part } from "../content.ts";
import { errorText } from "../../platform/errors.ts";
import { fillTemplate } from "./fill-template.ts";
import type { StoredBlock } from "../../facts/event-fields.ts";
import type { Template } from "./parse-template.ts";

/** A file that was found for a type: a template, or why it is none. */
export type TypeTemplate = {
  path: string;
  /** The file is a project's. */
  ofProject?: true;
} & ({ template: Template } | { problem: string });

export interface Templated {
  content: Content;
  /** The type's own tag stands around it, as it does around the built-in text. */
  inTag: boolean;
  note: string;
  /** The words are those of a project's template. */
  ofProject?: true;
}

/** The built-in text where the template cannot be used; never throws. */
export function withTemplate(builtIn: Content, given: TypeTemplate, data: unknown): Templated {
  const unused = (why: string) => ({
    content: builtIn,
    inTag: true,
    note: `built-in text, ${given.path} is not used: ${why}`,
  });
  if ("problem" in given) return unused(given.problem);
  try {
    const text = fillTemplate(given.template, data);
    if (text === "") return unused("it says nothing here");
    const whose = given.ofProject ? { ofProject: true as const } : {};
    return { ...inPlaceOf(builtIn, text), ...whose, note: `in the words of ${given.path}` };
  } catch (error) {
    return unused(errorText(error));
  }
}

/** A tag that stands around all of a type's text stands around the template's, too; images stay. */
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
