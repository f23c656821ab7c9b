// The methods of the protocol and the fields each takes, as data: what is not here is refused, and the schema is made of it.

import { REQUEST_FIELDS } from "../input/request-fields.ts";
import { SESSION_FIELDS } from "../input/session-fields.ts";

export const METHOD_FIELDS = {
  initialize: ["protocol"],
  "session/open": [...SESSION_FIELDS, "id", "store", "defaults", "readConfig", "mailbox"],
  "session/record": ["session", "event", "events"],
  turn: ["session", ...REQUEST_FIELDS, "userPrompt"],
  "turn/commit": ["turn"],
  "turn/abandon": ["turn"],
  "session/beforeWrite": ["session", "path"],
  "session/allows": ["session", "toolName", "input"],
  "session/mode": ["session"],
  "session/todos": ["session"],
  "session/withoutReminders": ["session", ...REQUEST_FIELDS],
  "session/reset": ["session"],
  "session/subagent": ["session", "agentType", "definition", "id"],
  "session/fork": ["session", "id", "turn"],
  "session/close": ["session"],
  shutdown: [],
} satisfies Record<string, readonly string[]>;

export type MethodName = keyof typeof METHOD_FIELDS;

export const METHOD_NAMES = Object.keys(METHOD_FIELDS) as MethodName[];

/** Of use without an answer: these may come as notifications. */
export const TOLD: readonly MethodName[] = [
  "session/record",
  "turn/commit",
  "turn/abandon",
  "session/reset",
  "session/close",
  "shutdown",
];

export const PROTOCOL = 1;
