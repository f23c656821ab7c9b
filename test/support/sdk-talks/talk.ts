// A conversation through a provider's own client, as an application would hold it: its history never has reminders.

import type { Session, Turn } from "sotto";
import type { Dialect } from "sotto/extend";
import type { MeasuredWire } from "../prefix.ts";
import type { ProviderName } from "../servers/model-server.ts";

export interface TalkOptions {
  url: string;
  session: Session | ((body: unknown) => Session | undefined);
  when?: (body: unknown) => boolean;
  onTurn?: (turn: Turn) => void;
  onProblem?: (problem: string) => void;
  /** As in Anthropic's guides: the last message carries the breakpoint, and the one before it no longer does. */
  movesBreakpoint?: boolean;
}

export interface TalkCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

export interface Talk {
  /** The application's own messages, without the system prompt. */
  history: object[];
  say(text: string): void;
  /** One call of the model; its answer is added to the history. */
  ask(how?: { stream?: boolean }): Promise<{ text: string; calls: TalkCall[] }>;
  answer(calls: readonly TalkCall[], outputs: readonly string[]): void;
}

export interface TalkKind {
  name: string;
  /** The acceptance id that it shows. */
  id: string;
  provider: ProviderName;
  wire: MeasuredWire;
  dialect: Dialect;
  open(options: TalkOptions): Talk;
}
