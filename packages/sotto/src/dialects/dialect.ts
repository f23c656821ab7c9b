// The contract of dialects: read a provider's request into a neutral form, insert reminders into it.

import type { ReminderBlock } from "../render/reminder.ts";

export type BlockRole = "system" | "user" | "assistant";
export type BlockKind = "text" | "image" | "call" | "result" | "thinking" | "other";

/** One content block of a request, in order. Messages without content have none. */
export interface HistoryBlock {
  role: BlockRole;
  kind: BlockKind;
  /** Index of its message. */
  message: number;
  /** Index inside that message; 0 for a single string. */
  index: number;
  /**
   * Identifies the block, and stays the same when the client moves `cache_control`, index fields or ids other than call ids,
   * or writes a single string as one text block. Our own reminders inside it are not removed here.
   */
  identity: string;
  /** Of a tool call or result: the part that survives when a client changes ids, clears results or changes the provider. */
  call?: { id?: string; holds: string } | undefined;
  /** The text of a text block: reminders are looked for in it. */
  text?: string;
}

/** Before this block. The end of the history is `message = number of messages, index = 0`. */
export interface Position {
  message: number;
  index: number;
}

/** `native`: written by the engine or its user, and meant for the provider's trusted role if its model has one. */
export type InsertedBlock = ReminderBlock & { readonly native?: true };

/** Reminders for one position, in order. */
export interface Insertion {
  at: Position;
  blocks: readonly (readonly InsertedBlock[])[];
}

/** The part of a conversation that the provider keeps. */
export interface ProviderHistory {
  name: string;
  /** Each answer has its own id; otherwise one id stands for the whole conversation. */
  moves: boolean;
}

/** A tool call in a history, or its result. Providers without call ids answer in order. */
export type CallPart =
  | { part: "call"; id: string | undefined; name: string; input: unknown }
  /** `output`: what the tool returned, in whatever form. */
  | { part: "result"; id: string | undefined; name?: string; failed: boolean; output?: unknown };

/** A tool that a request declares. */
export interface DeclaredTool {
  name: string;
  description?: string;
  /** The fields of its input; absent if the request does not say. */
  fields?: readonly string[];
}

/** A provider's request format: how its history is read, and where reminders go. */
export interface Dialect<Body = unknown> {
  /** The name in config and on the command line. */
  name: string;
  /** The body's field with the conversation. */
  field: string;
  /** What is wrong with the body, naming the field; undefined if it is a body of this dialect. */
  problem(body: unknown): string | undefined;
  /** What the request continues from if the provider keeps the history and the request has only what is new. */
  kept?(body: Body): ProviderHistory | undefined;
  /** Whether the provider keeps the answer under an id that the next request can continue from. */
  keepsAnswer?(body: Body): boolean;
  /** One reply may be several consecutive messages. */
  repliesInItems?: boolean;
  /** The messages themselves, for callers that cache results by object. */
  messages(body: Body): readonly unknown[];
  /** The blocks of one message. */
  read(message: unknown, index: number): HistoryBlock[];
  /** The calls and results in a message; without it tool calls are not seen. */
  calls?(message: unknown): CallPart[];
  /**
   * The tools that the request gives the model; empty for a whole request without any, undefined if the body is the
   * conversation alone.
   */
  tools?(body: Body): readonly DeclaredTool[] | undefined;
  /** Where new reminders go: after the last message, before a trailing assistant prefill. */
  end(body: Body): Position;
  /** `at`, or the first position after it where the provider's rules permit a reminder. */
  legal(body: Body, at: Position): Position;
  /**
   * A new body with the reminders inserted; the given one never changes, untouched messages stay the same objects. `own`:
   * blocks of the body that already are reminders because the host kept them; cache breakpoints are moved off them.
   */
  insert<Given extends Body>(body: Given, insertions: readonly Insertion[], own: readonly Position[]): Given;
  /**
   * A new body in which every text in a tool result went through `change`, and nothing else; untouched messages stay the
   * same objects.
   */
  mapResults<Given extends Body>(body: Given, change: (text: string) => string): Given;
  /** A new body without these blocks; a message without any left is removed too. */
  remove<Given extends Body>(body: Given, blocks: readonly Position[]): Given;
}
