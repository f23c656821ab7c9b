// The contract of attachments: pure islands that turn facts into data, and data into what the model reads.

import * as v from "valibot";
import type { ToolNames } from "../facts/agent.ts";
import type { FactName, Facts } from "../facts/facts.ts";
import { SottoError } from "../platform/errors.ts";
import type { Content } from "../render/content.ts";
import type { Tier } from "../render/reminder.ts";
import type { ThrottleRule } from "./throttle.ts";

export type { Tier };

/** Which budget an attachment draws on. */
export type BudgetClass = "turn" | "prompt" | "memory" | "context";

/** Something to say now. */
export interface Due<Data> {
  data: Data;
  /** Edges that are said by it: they stay pending until it is confirmed. */
  covers?: readonly string[];
  /** What it is about, where rhythms count apart: an entry into a mode, a task. */
  key?: string;
  /** Right behind the system prompt, before everything else. */
  atStart?: boolean;
  /** This one carries what others wrote, whatever its type carries. */
  carries?: "untrusted";
  /** Counted first and never cut, whatever its type. */
  uncut?: boolean;
  /** How often its key was said is remembered for the whole session: `total` of what was said about it. */
  counted?: boolean;
  /** For the trace: why it comes, and what does not come beside it. What several say is told once. */
  note?: string | readonly string[];
}

/** Why a trigger has nothing to send; `skip` makes one. */
export interface Skip {
  skip: string;
}

/** Nothing to say, and why: with the value and its threshold. */
export function skip(why: string): Skip {
  return { skip: why };
}

/** With a note for the trace. On each of them, as any may be put off or held back. */
export function withNote<Data>(due: readonly Due<Data>[], note: string | undefined): readonly Due<Data>[] {
  if (note === undefined || note === "") return due;
  return due.map((one) => ({ ...one, note: [one.note ?? [], note].flat() }));
}

/** What a type said that is still in the model's view. */
export interface Sent<Data> {
  last?: SentDelivery<Data>;
  count: number;
  /** The same, of one key only. */
  about(key: string): SentAbout<Data>;
}

/** What was sent about one key. */
export interface SentAbout<Data> {
  last?: SentDelivery<Data>;
  count: number;
  /** In the whole session, in view or not; of keys that are counted. */
  total?: number;
}

/** One reminder that was sent earlier. */
export interface SentDelivery<Data> {
  turn: number;
  assistantTurns: number;
  /** The log entry it is in. */
  seq: number;
  key?: string;
  /** Absent where it was too large to be remembered. */
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
  /** In words, for the trace: "todo lists". */
  for: string;
  /** The host sees to it in the agent's place. */
  unless?(facts: Facts): boolean;
}

/** What an attachment type consists of; `defineAttachment` takes it. */
export interface AttachmentDefinition<Data, Needs extends FactName, Options> {
  type: string;
  /** The name in config and trace; the type where it is not said. */
  generator?: string;
  /** The type of what it gives, where another attachment gives the same. Its own type is its name in config and trace. */
  yields?: string;
  /** Other names for it in config. */
  aliases?: readonly string[];
  summary: string;
  tier: Tier;
  /** When it speaks, in words, for the catalogue. */
  when: string;
  needs: readonly Needs[];
  schema: v.GenericSchema<unknown, Data>;
  /** Its own config keys with their defaults. */
  options?: v.GenericSchema<unknown, Options>;
  defaultEnabled?: boolean;
  /** Said once; never dropped for the budget, only put off. */
  oneShot?: boolean;
  /**
   * What a person or another agent said: part of the conversation. A summary gets it, or it is sent again behind one.
   * Its dues cover edges.
   */
  words?: true;
  /** Meant to be said again although it is in view. */
  repeats?: boolean;
  budget?: BudgetClass;
  /** Counted first and never cut. */
  uncut?: boolean;
  /**
   * What a person or another agent wrote: never cut. What is longer than there is room for comes in parts, in order, in
   * the next requests. Its dues cover edges that can be divided, and its text says which part it is.
   */
  inParts?: true;
  throttle?: ThrottleRule<Pick<Facts, Needs>>;
  /** A tool without which it is of no use: nothing is said to an agent that is known to lack it. */
  requiresTool?: RequiredTool<Pick<Facts, Needs>>;
  /** Whether it stands inside `<system-reminder>`, or brings tags of its own. */
  wrap?: "system-reminder" | "own-tags";
  /** Whether what it carries was written by the engine and its user only. */
  carries: "own" | "untrusted";
  /**
   * Fields of its data whose text the engine or its user wrote. Text in any other field may be anyone's: a reminder
   * with such text does not go into the provider's trusted role, whatever its type carries.
   */
  ownWords?: readonly (keyof Data & string)[];
  /** Decides from the facts what is due, or returns `skip(reason)`. Pure. */
  trigger(
    facts: Readonly<Pick<Facts, Needs>>,
    said: Sent<Data>,
    options: Options,
  ): readonly Due<Data>[] | Skip;
  /** Renders the data of one due reminder into content. Pure. */
  render(data: Data, context: RenderContext<Options>): Content;
  /** Where the rest can be read when the text had to be cut. */
  rest?(data: Data, context: RenderContext<Options>): string;
  examples: readonly [Example<Data>, ...Example<Data>[]];
}

/** An attachment of any data, as the engine and the catalogue handle it. */
export type Attachment = AttachmentDefinition<unknown, FactName, unknown> & { generator: string };

const NAME = /^[a-z][a-z0-9_]*$/u;

/** Checks the definition and its examples once, so that a wrong one fails when it is loaded. */
export function defineAttachment<Data, const Needs extends FactName = never, Options = Record<never, never>>(
  definition: AttachmentDefinition<Data, Needs, Options>,
): Attachment {
  const { type, generator = type, schema, examples } = definition;
  if (!NAME.test(type) || !NAME.test(generator))
    throw new SottoError("invalid_attachment", `attachment "${type}": names are snake_case`);
  for (const { title, data } of examples)
    if (!v.is(schema, data))
      throw new SottoError(
        "invalid_attachment",
        `attachment "${type}": example "${title}" does not fit its schema`,
      );
  return { ...definition, generator } as unknown as Attachment;
}

// Levels: how things are. One is due when it differs from what was last said of it and is still in view.

/** The latest word about it, where that still says how things are: the same change, or the same content after all. */
export function stillSaid<Data>(
  { last }: Sent<Data>,
  { data, key }: { data: Data; key: string },
): SentDelivery<Data> | undefined {
  if (last === undefined) return undefined;
  return last.key === key || JSON.stringify(last.data) === JSON.stringify(data) ? last : undefined;
}
