// The contract of attachments: pure functions from facts to data, and from data to what the model reads.

import * as v from "valibot";
import type { ToolNames } from "../facts/agent.ts";
import type { FactName, Facts } from "../facts/facts.ts";
import { issueText } from "../facts/parse-event.ts";
import { SottoError } from "../platform/errors.ts";
import type { Content } from "../render/content.ts";
import type { Tier } from "../render/reminder.ts";
import type { ThrottleRule } from "./throttle.ts";

export type { Tier };

/** Which token budget an attachment counts against. */
export type BudgetClass = "turn" | "prompt" | "memory" | "context";

/** A reminder that should be sent now. */
export interface Due<Data> {
  data: Data;
  /** Ids of the pending items it reports: they stay pending until it is confirmed. */
  covers?: readonly string[];
  /** What it is about, when throttles count separately: an entry into a mode, a task. */
  key?: string;
  /** Place it right after the system prompt, before everything else. */
  atStart?: boolean;
  /** It holds text from others although its type is trusted. */
  content?: "untrusted";
  /** Overrides the type: counted first and never cut. */
  whenTooLong?: "send";
  /** Keep counting how often its key was sent for the whole session: `total` in what was sent about it. */
  counted?: boolean;
  /** For the trace: why it is sent, and what was left out. Equal notes are shown once. */
  note?: string | readonly string[];
}

/** Why a trigger has nothing to send; `skip` makes one. */
export interface Skip {
  skip: string;
}

/** Nothing to send, and why: with the value and its threshold. */
export function skip(why: string): Skip {
  return { skip: why };
}

/** Adds a note for the trace to every due, since any of them may be put off. */
export function withNote<Data>(due: readonly Due<Data>[], note: string | undefined): readonly Due<Data>[] {
  if (note === undefined || note === "") return due;
  return due.map((one) => ({ ...one, note: [one.note ?? [], note].flat() }));
}

/** What a type has sent that is still in the model's view. */
export interface Sent<Data> {
  last?: SentDelivery<Data>;
  count: number;
  /** What each was about, oldest first; those without a key are left out. */
  keys: readonly string[];
  /** The same for one key. */
  about(key: string): SentAbout<Data>;
}

/** What was sent about one key. */
export interface SentAbout<Data> {
  last?: SentDelivery<Data>;
  count: number;
  /** In the whole session, in view or not; only for keys that are `counted`. */
  total?: number;
}

/** One reminder that was sent earlier. */
export interface SentDelivery<Data> {
  turn: number;
  assistantTurns: number;
  /** Its log entry. */
  seq: number;
  key?: string;
  /** Absent when it was too large to keep. */
  data?: Data;
}

/** What `render` gets besides the data. */
export interface RenderContext<Options> {
  tools: ToolNames;
  options: Options;
}

/** Example data of an attachment, for tests and documentation. */
export interface Example<Data> {
  title: string;
  data: Data;
}

export interface RequiredTool<Facts> {
  /** In the default vocabulary. */
  name: string;
  /** What the tool is for, in the trace: "todo lists". */
  for: string;
  /** True when the host does without the tool. */
  unless?(facts: Facts): boolean;
}

/** The part of Standard Schema (https://standardschema.dev) that an attachment needs: zod, valibot, ArkType and others have it. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What an attachment type consists of; `defineAttachment` takes it. */
export interface AttachmentDefinition<Data, Needs extends FactName, Options> {
  type: string;
  /** The name of its group in config. Default: the type. */
  generator?: string;
  /** Other names for it in config. */
  aliases?: readonly string[];
  /** The type that its reminders show to hosts, when it shares one with another attachment. Default: the type. */
  sentAs?: string;
  summary: string;
  /** When it is sent, in words, for the catalogue. */
  when: string;
  tier: Tier;
  needs: readonly Needs[];
  /** Checks its data. Any Standard Schema that validates synchronously. */
  schema: StandardSchema<Data>;
  /** Its config keys with their defaults: any Standard Schema that validates synchronously and accepts `{}`. */
  options?: StandardSchema<Options>;
  /** Default: true. */
  defaultEnabled?: boolean;
  /**
   * `never`: each is sent once, and put off rather than dropped when there is no room. `always`: sent whenever it is due,
   * also while an earlier one is in view, but once in a turn. `changed`: sent unless the last one in view is the same.
   * Default: not while the same content is in view.
   */
  repeat?: "never" | "always" | "changed";
  throttle?: ThrottleRule<Pick<Facts, Needs>>;
  /** Skipped when the agent is known to lack this tool. */
  requiresTool?: RequiredTool<Pick<Facts, Needs>>;
  /** Default: `prompt` in the tier `user_prompt`, else `turn`. */
  budget?: BudgetClass;
  /**
   * `send`: counted first and never cut. `split`: sent in parts, in order, over the next requests; its dues cover one
   * pending item each that can be divided, and its text names the part. Default: cut.
   */
  whenTooLong?: "send" | "split";
  /**
   * Messages of a person or another agent: a summary of the conversation includes them, or they are sent again after it.
   * Its dues cover pending items.
   */
  conversation?: true;
  /** Default: inside `<system-reminder>`. */
  wrap?: "system-reminder" | "own-tags";
  /** `trusted`: all of its text comes from the engine or its user. Default: untrusted. */
  content?: "trusted" | "untrusted";
  /**
   * Fields of its data whose text comes from the engine or its user. Text in any other field may be anyone's, and keeps
   * the reminder out of the provider's trusted role.
   */
  trustedFields?: readonly (keyof Data & string)[];
  /** Decides from the facts what is due, or returns `skip(reason)`. Pure. */
  trigger(
    facts: Readonly<Pick<Facts, Needs>>,
    sent: Sent<Data>,
    options: Options,
  ): readonly Due<Data>[] | Skip;
  /** Renders the data of one due reminder into content. Pure. */
  render(data: Data, context: RenderContext<Options>): Content;
  /** Where to read the rest when the text was cut. */
  readMoreAt?(data: Data, context: RenderContext<Options>): string;
  examples: readonly [Example<Data>, ...Example<Data>[]];
}

/** An attachment of any data, as the engine and the catalogue handle it. */
export type Attachment = AttachmentDefinition<unknown, FactName, unknown> & { generator: string };

/**
 * For built-in types, which a test checks: checking them here would cost every import of the library. Hosts get the
 * `defineAttachment` that checks.
 */
export function defineAttachment<Data, const Needs extends FactName = never, Options = Record<never, never>>(
  definition: AttachmentDefinition<Data, Needs, Options>,
): Attachment {
  const { type, generator = type } = definition;
  return { ...definition, generator } as unknown as Attachment;
}

/** The data as its schema returns it, or what is wrong with it. Throws when the schema is asynchronous. */
export function checkData<Data>(
  schema: StandardSchema<Data>,
  data: unknown,
  root = "data",
): { data: Data } | { problem: string } {
  if (isValibot(schema)) {
    const result = v.safeParse(schema, data, { abortEarly: true });
    return result.success ? { data: result.output as Data } : { problem: issueText(root, result.issues[0]) };
  }
  const result = schema["~standard"].validate(data);
  if ("then" in result) {
    result.then(undefined, () => undefined);
    throw new SottoError(
      "invalid_attachment",
      "the schema is asynchronous: an attachment needs one that validates synchronously",
    );
  }
  if (result.issues === undefined) return { data: result.value };
  const { message = "invalid", path = [] } = result.issues[0] ?? {};
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return { problem: `${[root, ...keys].join(".")}: ${message}` };
}

/** Our own schemas: their fields can be listed, and their issues say what was expected. */
export function isValibot(schema: StandardSchema): schema is StandardSchema & v.GenericSchema {
  return schema["~standard"].vendor === "valibot" && !(schema as { async?: unknown }).async;
}
