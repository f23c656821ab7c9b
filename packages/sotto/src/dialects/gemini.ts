// Gemini: reminders are user contents after the last one, never next to function responses, which must be alone.

import type { ReminderBlock } from "../render/reminder.ts";
import { misplaced } from "./body-problem.ts";
import type {
  BlockKind,
  BlockRole,
  CallPart,
  DeclaredTool,
  Dialect,
  HistoryBlock,
  Position,
} from "./dialect.ts";
import { mapFields, mapItems } from "./map-results.ts";
import {
  callOf,
  clampPosition,
  declared,
  endOfList,
  type Fields,
  type InsertedReminder,
  identifyingFields,
  identityOf,
  idOf,
  insertReminders,
  isFields,
  removeBlocks,
  sizeOf,
  toolsIn,
} from "./message-list.ts";

/** A request of the REST API, or the parameters of the SDK's `generateContent`, whose `contents` has shorter forms. */
export interface GeminiBody {
  readonly contents: string | object | readonly (string | object)[];
}

/** The dialect of Google's Gemini API (`generateContent`). */
export const gemini: Dialect<GeminiBody> = {
  name: "gemini",
  field: "contents",
  problem: problemOfContents,
  messages: contentsOf,
  read: (content, index) => readContent(content as Content, index),
  calls: (content) => ((content as Content).parts ?? []).flatMap(callPart),
  tools: declaredIn,
  end: (body) => ({ message: endOf(contentsOf(body)), index: 0 }),
  legal: (body, at) => legalPlace(contentsOf(body), at),
  insert: (body, insertions) => {
    const contents = contentsOf(body);
    return withContents(body, contents, insertReminders(contents, insertions, writing));
  },
  mapResults: (body, change) => {
    const contents = contentsOf(body);
    return withContents(
      body,
      contents,
      mapItems(contents, (content) => mapResponses(content, change)),
    );
  },
  remove: (body, blocks) => {
    const contents = contentsOf(body);
    return withContents(body, contents, removeBlocks(contents, blocks, without));
  },
};

/** As it goes over HTTP: the model is in the address, and the body is everything that is sent. */
export const geminiRequest: Dialect<GeminiBody> = {
  ...gemini,
  problem: (body) => problemOfContents(body) ?? problemOfShortForm(body),
  tools: (body) => gemini.tools?.({ model: "", ...body } as GeminiBody),
};

const writing = {
  field: "parts" as const,
  message: (reminder: InsertedReminder): Content => ({ role: "user", parts: reminder.map(wirePart) }),
  block: wirePart,
};

function mapResponses(content: Content, change: (text: string) => string): Content {
  const parts = content.parts ?? [];
  const mapped = mapItems(parts, (part) => {
    const fields = part as Fields;
    const name = Object.keys(fields).find((key) => camel(key) === "functionResponse");
    const response = name === undefined ? undefined : fields[name];
    if (name === undefined || !isFields(response)) return part;
    const changed = mapFields(response, ["response", "parts"], change);
    return changed === response ? part : { ...part, [name]: changed };
  });
  return mapped === parts ? content : { ...content, parts: mapped };
}

function wirePart(block: ReminderBlock): object {
  if (block.type === "text") return { text: block.text };
  return { inlineData: { mimeType: block.mediaType, data: block.data } };
}

/** The SDK has them in its `config`; with a cache they are in the cache. */
function declaredIn(body: GeminiBody): readonly DeclaredTool[] | undefined {
  const { config } = body as GeminiBody & Fields;
  const { tools, cachedContent } = { ...inCamelCase(body), ...(isFields(config) ? inCamelCase(config) : {}) };
  if (tools == null && cachedContent != null) return undefined;
  return toolsIn(body, tools, (given) => {
    const { functionDeclarations: functions, ...own } = inCamelCase(given);
    const written = Array.isArray(functions) ? functions.filter(isFields) : [];
    return [
      ...written.map((one) => declared(inCamelCase(one), ["parameters", "parametersJsonSchema"])),
      ...Object.keys(own).map((name) => ({ name })),
    ];
  });
}

/** The SDK accepts a single content, and texts and parts without one: those are the user's. */
function contentsOf({ contents }: GeminiBody): readonly Content[] {
  if (!Array.isArray(contents))
    return isContent(contents) ? [contents] : [{ role: "user", parts: [partOf(contents)] }];
  if (contents.length === 0 || contents.some(isContent)) return contents as readonly Content[];
  return [{ role: "user", parts: contents.map(partOf) }];
}

function withContents<Body extends GeminiBody>(
  body: Body,
  before: readonly Content[],
  contents: readonly Content[],
): Body {
  return contents === before ? body : { ...body, contents };
}

function partOf(part: unknown): object {
  return typeof part === "string" ? { text: part } : (part as object);
}

function readContent(content: Content, index: number): HistoryBlock[] {
  const role = roleOf(content);
  return (content.parts ?? []).flatMap((given, at): HistoryBlock[] => {
    const part = inCamelCase(given);
    const kind = kindOf(part);
    const { text, ...rest } = part;
    const fields = identifyingFields(kind === "text" ? rest : part, SIGNED);
    const block = { role, kind, message: index, index: at, identity: identityOf(role, kind, fields) };
    if (kind !== "text") {
      const { response } = (part.functionResponse ?? {}) as Fields;
      return [{ ...block, call: callOf(callPart(given), response) }];
    }
    return text ? [{ ...block, text: text as string }] : [];
  });
}

function callPart(given: object): CallPart[] {
  const { functionCall: call, functionResponse: answer } = inCamelCase(given);
  if (isFields(call)) return [{ part: "call", id: idOf(call.id), name: String(call.name), input: call.args }];
  if (!isFields(answer)) return [];
  const failed = isFields(answer.response) && answer.response.error != null;
  return [
    { part: "result", id: idOf(answer.id), name: String(answer.name), failed, output: answer.response },
  ];
}

// What the model adds beside its text: clients send it back unchanged, or drop it.
const SIGNED = ["thoughtSignature", "thought"];

/** The API accepts both spellings; fields of tool inputs and outputs belong to the tools. */
function inCamelCase(part: object): Fields {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      const name = camel(key);
      return [name, NAMED.includes(name) && isFields(value) ? shallowCamel(value) : value];
    }),
  );
}

const NAMED = ["inlineData", "fileData"];

function shallowCamel(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [camel(key), value]));
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

function kindOf(part: Fields): BlockKind {
  if (part.functionCall != null || part.toolCall != null) return "call";
  if (part.functionResponse != null || part.toolResponse != null) return "result";
  if (part.thought === true) return "thinking";
  const { mimeType } = (part.inlineData ?? part.fileData ?? {}) as Fields;
  if (String(mimeType).startsWith("image/")) return "image";
  return part.text == null ? "other" : "text";
}

function roleOf({ role }: Content): BlockRole {
  return role === "model" ? "assistant" : "user";
}

function isModels(content: Content | undefined): boolean {
  return content !== undefined && roleOf(content) === "assistant";
}

function hasResponses(content: Content | undefined): boolean {
  return (content?.parts ?? []).some((part) => "functionResponse" in part || "function_response" in part);
}

function endOf(contents: readonly Content[]): number {
  return endOfList(contents, isModels);
}

function legalPlace(contents: readonly Content[], at: Position): Position {
  const { message, index } = clampPosition(contents, at, "parts");
  const inside = contents[message];
  // After responses in the same content, the newest models treat it as text of the model, and refuse.
  if (index > 0 && !isModels(inside) && !hasResponses(inside)) return { message, index };
  let place = index > 0 ? message + 1 : message;
  while (hasResponses(contents[place])) place++;
  return { message: place === contents.length ? endOf(contents) : place, index: 0 };
}

function without(content: Content, indexes: ReadonlySet<number>): Content | undefined {
  const parts = (content.parts ?? []).filter((_, index) => !indexes.has(index));
  if (parts.length === sizeOf(content, "parts")) return content;
  return parts.length > 0 ? { ...content, parts } : undefined;
}

// Says why a body is not a readable Gemini request, naming the field.

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
    // A getter or proxy of the host threw: nobody could send this body.
    return "body: cannot be read";
  }
}

/** The SDK alone takes texts and parts without a content. */
function problemOfShortForm(body: unknown): string | undefined {
  const { contents } = body as GeminiBody;
  const isWhole = Array.isArray(contents) ? contents.every(isContent) : isContent(contents);
  return isWhole ? undefined : "contents: expected objects with parts";
}

function problemOfOne(value: unknown, where: string): string | undefined {
  if (!isContent(value))
    return isFields(value) && Object.keys(value).length === 0
      ? `${where}: expected an object with parts`
      : problemOfPart(value, where);
  const { role, parts } = value;
  if (role != null && typeof role !== "string") return `${where}.role: expected a string`;
  if (parts == null) {
    const found = misplaced(value as Fields, "parts");
    return found === undefined ? undefined : `${where}${found}`;
  }
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
  if (part.text != null && typeof part.text !== "string") return `${where}.text: expected a string`;
  const found = misplaced(part, "text");
  return found === undefined ? undefined : `${where}${found}`;
}
