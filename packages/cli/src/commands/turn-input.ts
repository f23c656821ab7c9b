// What `sotto turn` reads: checked field by field, nothing guessed, nothing ignored.

import type { SessionEvent } from "sotto";
import { toEvents } from "../input/event-fields.ts";
import { type Fields, fields, optional, present, string } from "../input/fields.ts";
import { parseJson } from "../input/json.ts";
import { type GivenRequest, toRequest } from "../input/request-fields.ts";
import { type SessionFields, toSessionFields } from "../input/session-fields.ts";

export interface TurnInput {
  options: SessionFields;
  events: SessionEvent[];
  request?: GivenRequest;
  userPrompt?: string;
}

export const TURN_FIELDS = [
  ...["cwd", "agent", "userPrompt", "dialect", "body", "messages", "events", "config", "tools"],
  ...["home", "permissions", "agents", "profile", "preset", "instructions", "pastSessions"],
];

export function parseTurnInput(text: string): TurnInput {
  const { value, faithful } = parseJson(text);
  const input = fields(value, "the input", TURN_FIELDS);
  const request = toRequest(input, faithful as Fields);
  return {
    options: toSessionFields(input),
    events: optional(input, "events", toEvents) ?? [],
    ...present("userPrompt", optional(input, "userPrompt", string)),
    ...present("request", request),
  };
}
