// Sotto in pi: what the agent should hear goes into each request, right before it is sent.

import { anthropicMessages, gemini, openaiChat, openaiResponses, type Session } from "sotto";
import type { Dialect } from "sotto/extend";
import { problemText } from "sotto/inspect";
import { openSession } from "./open-session.ts";
import type { Pi, PiContext } from "./pi.ts";

/** By what pi calls the API of a model; requests of others go out as they are. */
const dialects: Record<string, Dialect> = {
  "anthropic-messages": anthropicMessages as Dialect,
  "openai-completions": openaiChat as Dialect,
  "openai-responses": openaiResponses as Dialect,
  "azure-openai-responses": openaiResponses as Dialect,
  "openai-codex-responses": openaiResponses as Dialect,
  "google-generative-ai": gemini as Dialect,
  "google-vertex": gemini as Dialect,
};

export default function sotto(pi: Pi): void {
  let opening: Promise<{ session: Session; close(): Promise<void> }> | undefined;
  let prompt: string | undefined;
  const told = new Set<string>();

  const sessionFor = async (context: PiContext): Promise<Session> => {
    opening ??= openSession(context, pi.getActiveTools());
    return (await opening).session;
  };

  /** Nothing that goes wrong here stops pi; it is told once. */
  const safely = async <Result>(
    context: PiContext,
    run: () => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return await run();
    } catch (error) {
      tell(context, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };

  const tell = (context: PiContext, problem: string): void => {
    if (told.has(problem)) return;
    told.add(problem);
    if (context.hasUI) context.ui.notify(`sotto: ${problem}`, "warning");
    else console.error(`sotto: ${problem}`);
  };

  pi.on("input", ({ text, source }) => {
    if (source !== "extension") prompt = text;
  });

  pi.on("before_provider_request", ({ payload }, context) =>
    safely(context, async () => {
      const dialect = dialects[context.model?.api ?? ""];
      if (dialect === undefined) return undefined;
      const session = await sessionFor(context);
      const userPrompt = prompt;
      prompt = undefined;
      // Without one nobody typed anything: what extensions send is no prompt.
      const turn = await session.turn({ dialect, body: payload, userPrompt: userPrompt ?? "" });
      if (turn.problem !== undefined) tell(context, turn.problem);
      for (const problem of turn.problems) tell(context, problemText(problem));
      return turn.body;
    }),
  );

  pi.on("turn_end", (_event, context) =>
    safely(context, async () => {
      const { tokens, contextWindow } = context.getContextUsage() ?? {};
      if (opening === undefined || tokens === undefined || tokens === null || !contextWindow) return;
      const session = await sessionFor(context);
      await session.record({ type: "usage_reported", usedTokens: tokens, totalTokens: contextWindow });
    }),
  );

  pi.on("session_compact", (_event, context) =>
    safely(context, async () => (await sessionFor(context)).record({ type: "compacted" })),
  );

  pi.on("session_shutdown", (_event, context) =>
    safely(context, async () => {
      const opened = await opening;
      opening = undefined;
      await opened?.close();
    }),
  );
}
