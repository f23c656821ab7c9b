// A turn and how it ended.

import { optional, present, string } from "../input/fields.ts";
import { toRequest } from "../input/request-fields.ts";
import { turnResult } from "../output/turn-result.ts";
import { type Method, named, required, sessionOf } from "./method.ts";
import type { MethodName } from "./protocol.ts";
import type { SessionBook } from "./open-sessions.ts";
import type { TurnBook } from "./turn-book.ts";

type TurnMethods = "turn" | "turn/commit" | "turn/abandon";

export function createTurnMethods(
  book: SessionBook,
  turns: TurnBook,
): Record<TurnMethods & MethodName, Method> {
  const settle = (id: string, as: "committed" | "abandoned"): Promise<boolean> =>
    book.run(turns.sessionOf(id), () => ({ begin: async () => turns.settle(id, as) }));

  return {
    async turn(params, exact) {
      const id = sessionOf(params);
      const request = toRequest(params, exact);
      const userPrompt = present("userPrompt", optional(params, "userPrompt", string));
      const turn = await book.run(id, ({ session }) => ({
        begin: () => session.turn({ ...request, ...userPrompt }),
      }));
      const { number, problems, problem } = turn;
      return {
        result: {
          turn: turns.add(id, turn),
          number,
          ...turnResult(turn),
          problems,
          ...present("problem", problem),
        },
        lost: turn.abandon,
      };
    },
    async "turn/commit"(params) {
      return { result: { committed: await settle(required(params, "turn", named), "committed") } };
    },
    async "turn/abandon"(params) {
      return { result: { abandoned: await settle(required(params, "turn", named), "abandoned") } };
    },
  };
}
