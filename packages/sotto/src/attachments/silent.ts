// Silent types: kept in the transcript and never shown to the model. A host notes them, or a hook causes them.

import * as v from "valibot";
import { type HookNews, hookEdges } from "../facts/hooks.ts";
import { notedAs } from "../facts/host-notes.ts";
import type { Attachment, Example } from "./attachment.ts";
import { sendOnce } from "./common-kinds.ts";

interface SilentType {
  type: string;
  /** Without the word that it is silent. */
  summary: string;
  when: string;
  none: string;
  fields?: v.ObjectEntries;
  /** The outcome of a hook that causes it as well. */
  hook?: HookNews;
  example: Example<Record<string, unknown>>;
}

const hookFields = { hookName: v.string(), hookEvent: v.optional(v.string()) };

const table: readonly SilentType[] = [
  {
    type: "hook_system_message",
    summary: "A hook had a message for the user.",
    when: "a hook that was waited for returned a system message, or a host notes one",
    none: "no hook had a message for the user",
    fields: hookFields,
    hook: "system_message",
    example: {
      title: "a message",
      data: { hookName: "Stop", hookEvent: "Stop", systemMessage: "Formatted 3 files." },
    },
  },
  {
    type: "hook_cancelled",
    summary: "A hook was cancelled.",
    when: "a hook that was waited for was cancelled, or a host notes one",
    none: "no hook was cancelled",
    fields: hookFields,
    hook: "cancelled",
    example: { title: "a hook", data: { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse" } },
  },
  {
    type: "hook_non_blocking_error",
    summary: "A hook failed without blocking anything.",
    when: "a hook that was waited for ended with an error that blocks nothing, or a host notes one",
    none: "no hook failed",
    fields: hookFields,
    hook: "non_blocking_error",
    example: {
      title: "a hook",
      data: { hookName: "PostToolUse:Edit", hookEvent: "PostToolUse", stderr: "not found", exitCode: 1 },
    },
  },
  {
    type: "hook_error_during_execution",
    summary: "A hook could not finish.",
    when: "a host notes that a hook could not finish",
    none: "the host noted no hook that could not finish",
    fields: hookFields,
    example: {
      title: "a hook",
      data: { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", content: "spawn ENOENT" },
    },
  },
  {
    type: "hook_permission_decision",
    summary: "A hook allowed or denied a tool call.",
    when: "a host notes what a hook decided about a permission",
    none: "the host noted no permission decision of a hook",
    fields: hookFields,
    example: {
      title: "allowed",
      data: { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", decision: "allow" },
    },
  },
  {
    type: "command_permissions",
    summary: "The tools that a command of the user allows.",
    when: "a host notes the tools that a command of the user allows",
    none: "the host noted no permissions of a command",
    fields: { allowedTools: v.optional(v.array(v.string())) },
    example: { title: "two tools", data: { allowedTools: ["Read", "Bash"] } },
  },
  {
    type: "structured_output",
    summary: "A structured answer.",
    when: "a host notes a structured answer",
    none: "the host noted no structured output",
    example: { title: "an answer", data: { data: { verdict: "pass" } } },
  },
  {
    type: "task_reminder",
    summary: "A reminder about the host's task list.",
    when: "a host notes a reminder about its task list",
    none: "the host noted no task reminder",
    example: {
      title: "a list",
      data: { content: [{ id: "1", subject: "Fix the parser", status: "pending" }], itemCount: 1 },
    },
  },
  {
    type: "autocheckpointing",
    summary: "The host saved a checkpoint.",
    when: "a host notes that it saved a checkpoint",
    none: "the host noted no checkpoint",
    example: { title: "a checkpoint", data: { checkpointId: "c1" } },
  },
  {
    type: "background_task_status",
    summary: "The state of a background task.",
    when: "a host notes the state of a background task",
    none: "the host noted no background task",
    fields: { taskId: v.optional(v.string()) },
    example: { title: "a task", data: { taskId: "b7", status: "running" } },
  },
];

export const silentTypes: readonly Attachment[] = table.map(
  ({ type, summary, when, none, fields, hook, example }) =>
    sendOnce({
      type,
      when,
      none,
      summary: `${summary} Silent.`,
      tier: "event",
      needs: hook === undefined ? ["notes"] : ["hooks", "notes"],
      schema: v.looseObject(fields ?? {}) as v.GenericSchema<unknown, Record<string, unknown>>,
      repeat: "never",
      pending: ({ hooks, notes }) => [
        ...(hook === undefined
          ? []
          : hookEdges(hooks, hook).map((one) => ({ data: { ...one.hook }, covers: [one.id] }))),
        ...notedAs<Record<string, unknown>>(notes, type),
      ],
      each: ({ data }) => data,
      render: () => [],
      examples: [example],
    }),
);
