// The shapes of observed facts: a host's source may return anything.

import * as v from "valibot";
import { isTable } from "../platform/plain-data.ts";
import type { ObservedName } from "./facts.ts";
import { describe, issueText } from "./parse-event.ts";
import { LIFETIMES, OCCASIONS } from "./user-reminders.ts";

const text = v.string();
const texts = v.array(text);
const some = v.optional(text);
const doubts = v.array(v.object({ path: text, why: text }));

const mentioned = v.object({
  found: v.number(),
  unresolved: v.array(
    v.object({
      text,
      reason: text,
      of: v.optional(v.picklist(["directory", "compact_file_reference"])),
      named: v.optional(v.object({ tooLarge: v.optional(v.boolean()), slow: v.optional(v.boolean()) })),
    }),
  ),
});

const userReminder = v.object({
  name: text,
  path: text,
  description: some,
  scope: v.picklist(["user", "project"]),
  untrusted: v.optional(v.literal(true)),
  content: text,
  paths: v.optional(texts),
  after_tools: v.optional(texts),
  every_turns: v.optional(v.number()),
  on: v.optional(v.array(v.picklist(OCCASIONS))),
  modes: v.optional(texts),
  agents: v.optional(texts),
  max_per_session: v.optional(v.number()),
  lifetime: v.picklist(LIFETIMES),
  matched: v.array(v.object({ path: text, by: text })),
});

const shapes: { [Name in ObservedName]?: v.GenericSchema } = {
  planFile: v.object({ exists: v.boolean(), untold: some }),
  calendar: v.object({ today: text, start: text }),
  fileChanges: v.object({ tracked: v.number(), unknown: doubts, hidden: v.optional(doubts) }),
  mentioned,
  mentionedAgents: v.object({ found: v.number(), unknown: v.optional(texts) }),
  mentionedResources: mentioned,
  sessionNotes: v.object({ untold: some }),
  userReminders: v.object({
    reminders: v.array(userReminder),
    problems: v.array(v.object({ path: text, problem: text })),
  }),
  restoredFiles: v.object({ restored: v.number() }),
  instructions: v.object({ unknown: doubts }),
  projectContext: v.object({
    files: v.array(
      v.object({
        ...{ path: text, realPath: text, content: text, hash: text, version: text },
        kind: v.picklist(["managed", "user", "project", "local"]),
      }),
    ),
    inDoubt: texts,
    skipped: v.array(v.object({ path: text, reason: text })),
    moreSkipped: v.optional(v.number()),
  }),
  ideLink: v.object({ ideName: some, why: some }),
  ideAccess: v.object({ path: some, access: v.picklist(["allowed", "secret", "denied"]), rule: some }),
  diagnosticsAccess: v.object({ hidden: doubts }),
  languageServers: v.object({ servers: v.array(v.object({ name: text, state: text, detail: text })) }),
  mail: v.object({
    received: v.number(),
    aside: v.number(),
    bad: v.array(v.object({ file: text, reason: text })),
    later: some,
  }),
  collab: v.object({ chats: v.number(), problems: v.array(v.object({ chat: text, reason: text })) }),
  contextSections: v.record(text, text),
};

/** Why a value is not one of this fact; a fact of the host's own may be anything. */
export function shapeProblem(fact: ObservedName, value: unknown): string | undefined {
  const shape = shapes[fact];
  if (shape === undefined) return undefined;
  // The library takes a list for an object.
  if (!isTable(value)) return `${fact}: expected an object, got ${describe(value)}`;
  const { issues } = v.safeParse(shape, value, { abortEarly: true });
  return issues && issueText(fact, issues[0]);
}
