// The contract of dialects: read a provider's request into a neutral view, put reminders into it.

import type { ReminderBlock } from "../render/reminder.ts";

export type BlockRole = "system" | "user" | "assistant";
export type BlockKind = "text" | "image" | "call" | "result" | "thinking" | "other";

/** One content block of a request, in order. Messages without content have none. */
export interface HistoryBlock {
  role: BlockRole;
  kind: BlockKind;
  /** Index of the message that holds it. */
  message: number;
  /** Index inside that message; 0 for a lone string. */
  index: number;
  /**
   * What the block is, in a form that stays the same when the client moves `cache_control`, index fields or
   * ids that are no call ids, or writes a lone string as one text block. Own reminders inside are not cut out here.
   */
  identity: string;
  /** Of a tool call or its result: what stays of it when a client changes ids, clears results or asks another provider. */
  call?: { id?: string; holds: string };
  /** The text where it is a text block: reminders are looked for in it. */
  text?: string;
}

/** Before this block: the history's end is `message = number of messages, index = 0`. */
export interface Position {
  message: number;
  index: number;
}

/** `native`: written by the engine or its user, and meant for the provider's trusted role where its model has one. */
export type InsertedBlock = ReminderBlock & { readonly native?: true };

/** Reminders that belong at one place, in order. */
export interface Insertion {
  at: Position;
  blocks: readonly (readonly InsertedBlock[])[];
}

/** What the provider keeps of a conversation. */
export interface ProviderHistory {
  name: string;
  /** Each answer has a name of its own; else one name stands for the conversation all along. */
  moves: boolean;
}

/** A tool call in a history, or what came of one. Providers that give calls no id answer them in order. */
export type CallPart =
  | { part: "call"; id: string | undefined; name: string; input: unknown }
  | { part: "result"; id: string | undefined; name?: string; failed: boolean };

/** A tool as a request declares it. */
export interface DeclaredTool {
  name: string;
  description?: string;
  /** The fields of its input; absent where the request does not say. */
  fields?: readonly string[];
}

/** A provider's request format: how its history is read, and where reminders go. */
export interface Dialect<Body = unknown> {
  /** The name of its file, as in config and on the command line. */
  name: string;
  /** The body's field that holds the conversation. */
  field: string;
  /** What is wrong with the body, in words that name the field; nothing when it is of this dialect. */
  problem(body: unknown): string | undefined;
  /** What the request goes on from where it carries only what is new, and the provider keeps the rest. */
  kept?(body: Body): ProviderHistory | undefined;
  /** One reply may be several messages in a row. */
  repliesInItems?: boolean;
  /** The messages as they are, for callers that keep what they computed for the same objects. */
  messages(body: Body): readonly unknown[];
  /** The blocks of one message. */
  read(message: unknown, index: number): HistoryBlock[];
  /** The calls and results in a message; without it what tools did is not seen. */
  calls?(message: unknown): CallPart[];
  /**
   * The tools that the request gives the model; none where it is a whole request without any. Nothing where that cannot
   * be told, as it is the conversation alone.
   */
  tools?(body: Body): readonly DeclaredTool[] | undefined;
  /** Where new reminders go: behind the last message, before a trailing assistant prefill. */
  end(body: Body): Position;
  /** `at`, or the first place behind it where a reminder may stand by the provider's rules. */
  legal(body: Body, at: Position): Position;
  /**
   * A new body with the reminders in place; the given one is never changed, untouched messages stay the same
   * objects. `own`: blocks of the body that are reminders already (the host kept them); a cache breakpoint is
   * moved off them.
   */
  insert<Given extends Body>(body: Given, insertions: readonly Insertion[], own: readonly Position[]): Given;
  /**
   * A new body in which every text that the agent's tools gave went through `change`, and nothing else; untouched
   * messages stay the same objects.
   */
  mapResults<Given extends Body>(body: Given, change: (text: string) => string): Given;
  /** A new body without these blocks; a message left without any goes too. */
  remove<Given extends Body>(body: Given, blocks: readonly Position[]): Given;
}
