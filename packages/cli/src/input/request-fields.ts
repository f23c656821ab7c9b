// The request a caller gives: a whole body, or its messages alone, in a dialect.

import { anthropicMessages, type Dialect, gemini, openaiChat, openaiResponses } from "sotto";
import { failed, wrongUse } from "../../../agent/src/terminal/failure.ts";
import { didYouMean } from "../../../sotto/src/platform/nearest-of-src.ts";
import { type Fields, optional, string } from "./fields.ts";

export interface GivenRequest {
  dialect: Dialect;
  body: object;
}

export const REQUEST_FIELDS = ["dialect", "body", "messages"];
const DIALECTS = [anthropicMessages, openaiChat, openaiResponses, gemini] as unknown as readonly Dialect[];
export const DIALECT_NAMES: readonly string[] = DIALECTS.map((one) => one.name);

/** `exact` is the same input with the caller's numbers to the letter. */
export function toRequest(input: Fields, exact: Fields): GivenRequest | undefined {
  const dialect = toDialect(optional(input, "dialect", string) ?? anthropicMessages.name);
  const { body, messages } = exact;
  if (body !== undefined && messages !== undefined)
    throw wrongUse("body and messages: give one of them; a body has its messages inside");
  if (body === undefined && messages === undefined) return undefined;
  const request = body ?? { [dialect.field]: messages };
  const problem = dialect.problem(request);
  if (problem !== undefined)
    throw failed(`the request is not of the dialect ${dialect.name}: ${problem}`, "invalid_request");
  return { dialect, body: request as object };
}

function toDialect(name: string): Dialect {
  const dialect = DIALECTS.find((one) => one.name === name);
  if (dialect !== undefined) return dialect;
  const hint = didYouMean(name, DIALECT_NAMES) || `; there are ${DIALECT_NAMES.join(", ")}`;
  throw wrongUse(`dialect: "${name}" is not known${hint}`);
}
