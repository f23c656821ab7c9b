// The fetch integrations: a request of 1 MB that grows by one exchange each time.

import { createMemoryStore, createSession } from "sotto";
import { reminders } from "sotto/anthropic";
import type { Bench } from "../bench.ts";
import { median } from "../figures.ts";
import { conversation, goOn, requestOf, talk, talkOn } from "../inputs/conversation.ts";

const CALLS = 15;
const WARM_UP = 30;
const REMINDER = "Keep the old reader for now.";
const kinds = [
  { what: "plain messages", messages: 4_250, start: talk, more: talkOn },
  { what: "tool calls", messages: 6_800, start: conversation, more: goOn },
];

export async function measure(bench: Bench): Promise<void> {
  for (const { what, messages, start, more } of kinds) {
    const history = start(messages);
    const session = createSession({
      cwd: "/repo",
      home: "/repo/home",
      agent: { kind: "main" },
      store: createMemoryStore(),
      config: { timeout_ms: 60_000 },
    });
    // One that is put back each time: without any the text is passed on as it is.
    await session.record({ type: "prompt_queued", id: "q1", prompt: REMINDER });
    const middleware = reminders(session, {
      onProblem: (problem) => {
        throw new Error(problem);
      },
    });
    const headers = new Headers();
    let text = "";
    const call = async () => {
      more(history);
      text = JSON.stringify(requestOf(history));
      const request = { url: "https://api.example/v1/messages", method: "POST", headers, body: text };
      let sent = "";
      const from = performance.now();
      await middleware(request, async ({ body }) => {
        sent = body;
        return new Response("{}");
      });
      if (sent.length <= text.length || !sent.includes(REMINDER)) throw new Error("the reminder is missing");
      return performance.now() - from;
    };
    for (let turn = 0; turn < WARM_UP; turn++) await call();
    const ours = async () => {
      const times: number[] = [];
      for (let turn = 0; turn < CALLS; turn++) times.push(await call());
      return median(times);
    };
    const baseline = (run: () => void) => () => {
      const times: number[] = [];
      for (let turn = 0; turn < CALLS; turn++) {
        const from = performance.now();
        run();
        times.push(performance.now() - from);
      }
      return median(times);
    };
    const name = `fetch, a body of 1 MB, ${what}`;
    await bench.row({
      name: `${name}, beside reading it once`,
      unit: "ms",
      baseline: "a loop over its characters",
      goal: { timesWorse: 1.1 },
      ours,
      theirs: baseline(() => readOnce(text)),
    });
    await bench.row({
      name: `${name}, beside parsing`,
      unit: "ms",
      baseline: "JSON.parse and JSON.stringify of it",
      ours,
      theirs: baseline(() => {
        if (JSON.stringify(JSON.parse(text)) !== text) throw new Error("it is another text");
      }),
    });
    await session.close();
  }
}

/** Where its strings begin and end. */
function readOnce(text: string): void {
  let quotes = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) === 34) quotes++;
  if (quotes === 0) throw new Error("it has no strings");
}
