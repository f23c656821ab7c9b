// A request that travels as text: read, reminded, written again. What cannot be read stays as it is.

import type { Dialect } from "../dialects/dialect.ts";
import { errorText } from "../platform/errors.ts";
import type { Turn } from "../engine/turn.ts";
import { createRecall } from "./recall.ts";
import { type RemindOptions, remind, type SessionOf, tell } from "./remind.ts";

export interface RemindedJson {
  text: string;
  /**
   * Only where the provider keeps the conversation under one name: nothing else would tell whether it was answered.
   * A reply in one piece is there when it begins; of a stream nobody knows yet.
   */
  turn?: Pick<Turn, "commit" | "abandon">;
  streams?: boolean;
}

type Fields = Record<string, unknown>;

/** One for each client: it remembers what it has read. */
export function createJsonReminder(of: SessionOf, options: RemindOptions) {
  const recall = createRecall();
  return async <Body>(dialect: Dialect<Body>, text: string): Promise<RemindedJson> => {
    const given = parse(text);
    if (given instanceof Error) {
      tell(options.onProblem, `the request is no JSON: ${errorText(given)}`);
      return { text };
    }
    const body = recalled(given, dialect.field, recall) as Body;
    let turn = undefined as Turn | undefined;
    const onTurn = (taken: Turn) => {
      turn = taken;
      tell(options.onTurn, taken);
    };
    const reminded = await remind(of, { dialect, body }, { ...options, onTurn });
    const sent = { text: reminded === body ? text : JSON.stringify(reminded) };
    if (turn === undefined || turn.problem !== undefined) return sent;
    if (dialect.kept?.(body)?.moves !== false) return sent;
    return { ...sent, turn, streams: (given as Fields).stream === true };
  };
}

function recalled(given: unknown, field: string, recall: ReturnType<typeof createRecall>): unknown {
  const messages = (given as Fields | null)?.[field];
  return Array.isArray(messages) ? { ...(given as Fields), [field]: recall(messages) } : given;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error as Error;
  }
}
