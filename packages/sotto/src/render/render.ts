// From content to blocks: neutralised, tagged, each text block wrapped separately, cut to fit if necessary.

import type { StoredBlock } from "../facts/event-fields.ts";
import { DUE_SIZE, TooLargeError } from "../platform/size.ts";
import { type Content, checkNames, type Element, isReserved, type Part } from "./content.ts";
import { createNeutraliser, type Neutraliser } from "./neutralise/neutralise.ts";
import type { Tags } from "./tags.ts";
import { estimateTokens, IMAGE_TOKENS } from "./tokens.ts";

export interface RenderOptions {
  tags: Pick<Tags, "nameOf" | "neutraliser">;
  /** The tag around each text block; absent if the content has its own. */
  wrapper?: string | undefined;
}

// Far more than any budget permits: searching for tags beyond it would only block the thread.
const MOST_CHARACTERS = 4_000_000;

/** The part of the content that is processed, with a note about the rest. Throws if it is not valid content, or too large. */
export function firstOf(content: Content, most = MOST_CHARACTERS): Content {
  const length = contentLength(content);
  if (length > DUE_SIZE.characters)
    throw new TooLargeError(`its text was more than ${DUE_SIZE.characters} characters`);
  if (length <= most) return content;
  return withNote(firstCharacters(content, most), `(cut: ${most} of ${length} characters)`);
}

/** Throws if the content is not valid, or too large. */
export function renderBlocks(content: Content, { tags, wrapper }: RenderOptions): StoredBlock[] {
  return assembleBlocks(neutralContent(content, tags.neutraliser), { nameOf: tags.nameOf, wrapper });
}

/** Assembles neutral content; cheap, so it can be called repeatedly. */
export function assembleBlocks(
  neutral: Content,
  { nameOf, wrapper }: Pick<Tags, "nameOf"> & Pick<RenderOptions, "wrapper">,
): StoredBlock[] {
  const blocks: StoredBlock[] = [];
  let run: Part[] = [];
  const flush = () => {
    const text = assembleText(run, nameOf);
    run = [];
    if (text.trim() !== "")
      blocks.push({ type: "text", text: wrap(text, wrapper === undefined ? undefined : nameOf(wrapper)) });
  };
  for (const part of partsOf(neutral))
    if (isImage(part)) {
      flush();
      blocks.push({ type: "image", mediaType: part.mediaType, blob: part.blob });
    } else run.push(part);
  flush();
  return blocks;
}

export function blockTokens(blocks: readonly StoredBlock[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? estimateTokens(block.text) : IMAGE_TOKENS),
    0,
  );
}

/** The content with everything in it neutralised; throws if it is not valid, or too large. */
export function neutralContent(content: Content, neutraliser: Neutraliser): Content {
  return neutralParts(firstOf(content), neutraliser);
}

/** Cutting neutral content can turn a longer name into a reserved one, so its texts are neutralised again. */
export function neutralOnceMore(neutral: Content, { text }: Neutraliser): Content {
  return neutralParts(neutral, { text, attribute: (value) => value });
}

/** Adjacent strings are neutralised as one, so that no tag can be assembled from two fields. */
function neutralParts(content: Content, neutraliser: Neutraliser): Part[] {
  const parts: Part[] = [];
  let run = "";
  const flush = () => {
    if (run !== "") parts.push(neutraliser.text(run));
    run = "";
  };
  for (const part of partsOf(content))
    if (typeof part === "string") run += part;
    else if (isText(part)) run += part.text;
    else {
      flush();
      parts.push(isElement(part) ? neutralElement(part, neutraliser) : part);
    }
  flush();
  return parts;
}

function neutralElement(element: Element, neutraliser: Neutraliser): Element {
  checkNames(element);
  const { attributes = {}, content } = element;
  const values = Object.entries(attributes).map(([name, value]) => [name, neutraliser.attribute(value)]);
  // Images inside an element are not shown, and do not separate texts.
  const shown = partsOf(content).filter((part) => !isImage(part));
  return {
    ...element,
    attributes: Object.fromEntries(values),
    content: neutralParts(shown, within(element.tag, neutraliser)),
  };
}

/** By tag; of our own tags none is needed. */
const inTag = new Map<string, Neutraliser | undefined>();
const MOST_TAGS = 100;

/** Inside an element of a host's own, its tag counts as reserved: the content can neither end it nor open another. */
function within(tag: string, neutraliser: Neutraliser): Neutraliser {
  const own = inTag.has(tag)
    ? inTag.get(tag)
    : isReserved(tag)
      ? undefined
      : createNeutraliser({ reserved: [tag] });
  if (inTag.size < MOST_TAGS) inTag.set(tag, own);
  if (own === undefined) return neutraliser;
  return { text: (value) => own.text(neutraliser.text(value)), attribute: neutraliser.attribute };
}

/**
 * The longest prefix of the content that fits, with a note about the rest. Tries short prefixes first, so that content
 * that is far too long is never assembled as a whole.
 */
export function cutContent(content: Content, fits: (content: Content) => boolean, note: string): Content {
  const length = contentLength(content);
  let low = 0;
  let high = 256;
  while (high < length && fits(withNote(firstCharacters(content, high), note))) {
    low = high;
    high *= 2;
  }
  high = Math.min(high, length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(withNote(firstCharacters(content, middle), note))) low = middle;
    else high = middle - 1;
  }
  return withNote(firstCharacters(content, low), note);
}

function assembleText(parts: readonly Part[], nameOf: Tags["nameOf"]): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      return isElement(part) ? assembleElement(part, nameOf) : "";
    })
    .join("");
}

function assembleElement({ tag, attributes = {}, content, lines }: Element, nameOf: Tags["nameOf"]): string {
  const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  const inner = assembleText(partsOf(content), nameOf);
  const edge = lines ? "\n" : "";
  const name = nameOf(tag);
  return `<${name}${pairs.join("")}>${edge}${inner}${edge}</${name}>`;
}

function wrap(text: string, wrapper: string | undefined): string {
  return wrapper === undefined ? text : `<${wrapper}>\n${text}\n</${wrapper}>`;
}

function withNote(content: Content, note: string): Content {
  const parts = [...partsOf(content)];
  const last = parts.at(-1);
  if (last !== undefined && typeof last === "object" && "tag" in last)
    return [...parts.slice(0, -1), { ...last, content: withNote(last.content, note) }];
  return [...parts, `\n… ${note}`];
}

function firstCharacters(content: Content, count: number): Part[] {
  const kept: Part[] = [];
  let left = count;
  for (const part of partsOf(content)) {
    if (left <= 0) break;
    kept.push(firstOfPart(part, left));
    left -= partLength(part);
  }
  return kept;
}

function firstOfPart(part: Part, count: number): Part {
  if (typeof part === "string") return cutString(part, count);
  if (isText(part)) return { type: "text", text: cutString(part.text, count) };
  if (isImage(part)) return part;
  return { ...part, content: firstCharacters(part.content, count) };
}

/** Never splits a surrogate pair. */
function cutString(text: string, count: number): string {
  const code = text.charCodeAt(count - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? count - 1 : count);
}

function contentLength(content: Content): number {
  return partsOf(content).reduce((sum, part) => sum + partLength(part), 0);
}

function partLength(part: Part): number {
  if (typeof part === "string") return part.length;
  if (isText(part)) return part.text.length;
  if (isImage(part)) return 1;
  if (!isElement(part))
    throw new Error("its render returned something that is neither text, element nor image");
  return contentLength(part.content);
}

function partsOf(content: Content): readonly Part[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) throw new Error("its render returned neither a text nor a list of parts");
  return content;
}

function isImage(part: Part): part is Extract<StoredBlock, { type: "image" }> {
  return hasType(part, "image") && typeof part.mediaType === "string" && typeof part.blob === "string";
}

function isText(part: Part): part is Extract<StoredBlock, { type: "text" }> {
  return hasType(part, "text") && typeof part.text === "string";
}

function isElement(part: Part): part is Element {
  return typeof part === "object" && part !== null && "tag" in part && typeof part.tag === "string";
}

function hasType<T extends StoredBlock["type"]>(
  part: Part,
  type: T,
): part is Extract<StoredBlock, { type: T }> {
  return typeof part === "object" && part !== null && "type" in part && part.type === type;
}
