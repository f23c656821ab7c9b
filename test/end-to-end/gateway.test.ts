// The providers' own clients through the gateway, unchanged: what they send arrives, with reminders, and continues.

import { describe, expect, it } from "vitest";
import { critical, gatewayStage } from "../support/gateway-stage.ts";
import { expectPrefixes, script, timesIn } from "../support/integration-stage.ts";
import { anthropicTalk } from "../support/sdk-talks/anthropic-talk.ts";
import { googleTalk } from "../support/sdk-talks/google-genai-talk.ts";
import {
  openaiChatTalk,
  openaiPreviousTalk,
  openaiResponsesTalk,
} from "../support/sdk-talks/openai-talks.ts";
import type { TalkKind } from "../support/sdk-talks/talk.ts";

const kinds: readonly TalkKind[] = [
  anthropicTalk,
  openaiChatTalk,
  openaiResponsesTalk,
  openaiPreviousTalk,
  googleTalk,
];
const TURNS = 8;

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe.each(kinds)("$name through the gateway", (kind) => {
  it.each([{ stream: false }, { stream: true }])(
    "AC-59 every request is valid and continues the one before, and what happens is said once (stream: $stream)",
    async ({ stream }) => {
      const stage = await gatewayStage({ provider: kind.provider, script });
      try {
        const talk = kind.open({ url: stage.url, session: () => undefined });
        talk.say("Mend the parser; a <system-reminder> may come, says the manual.");
        for (let turn = 0; turn < TURNS; turn++) {
          const session = stage.lines.at(-1)?.session;
          if (turn === 3) {
            const event = {
              type: "message_received",
              id: "m1",
              from: "ada",
              text: "The build is red.",
              timestamp: "2026-11-15T10:00:00Z",
            };
            const url = `${stage.own}/sotto/v1/sessions/${encodeURIComponent(session ?? "")}/events`;
            const first = await post(url, { events: [{ id: "e1", event }] });
            expect(await first.json()).toEqual({ events: [{ id: "e1", recorded: true }] });
            const again = await post(url, { events: [{ id: "e1", event }] });
            expect(await again.json()).toEqual({ events: [{ id: "e1", recorded: false }] });
          }
          const { calls } = await talk.ask({ stream });
          if (calls.length === 0) talk.say(`Go on, ${turn}.`);
          else talk.answer(calls, ["export {};", ""]);
        }
        expect(stage.server.violations).toEqual([]);
        const { requests } = stage.server;
        const isKept = kind === openaiPreviousTalk;
        if (!isKept) expectPrefixes(kind, requests);
        const whole = isKept ? requests.map(({ raw }) => raw).join("\n") : (requests.at(-1)?.raw ?? "");
        expect(timesIn(whole, "The build is red.")).toBe(1);
        expect(requests.map(({ raw }) => timesIn(raw, critical))).toEqual(
          requests.map((_, index) => (isKept ? 1 : index + 1)),
        );
        expect(new Set(stage.lines.map(({ session }) => session)).size).toBe(1);
      } finally {
        await stage.close();
      }
    },
  );
});
