// Real coding agents through the gateway, unchanged: every request is valid and goes on from the one before as far as the
// agent's own does, each thing is said once, and nothing in requests that are not the conversation.

import { describe, expect, test } from "vitest";
import { timesIn } from "../support/integration-stage.ts";
import { prefixOf } from "../support/prefix.ts";
import type { ReceivedRequest } from "../support/servers/model-server.ts";
import type { Client } from "./client.ts";
import { type Agent, agents, SUBTASK } from "./gateway-agents.ts";
import { record } from "./gateway-record.ts";
import {
  ANSWER,
  expectFine,
  FILE,
  type GatewayStage,
  openThroughGateway,
  REMINDER,
  STANDING,
} from "./gateway-stage.ts";
import { beginningOf, newIn } from "./new-in.ts";

const LETTER = "The build is red.";
const SUMMARY =
  "<summary>The notes were read.</summary><state_snapshot>The notes were read.</state_snapshot>";

describe.each(agents)("$title", ({ title, client, isNamed }) => {
  test("AC-59 reminders come in their time, once, and the agent ends as it should", async (context) => {
    const stage = await openThroughGateway({ title, client }, context, (body, { project }) => {
      if (kindOf(client, body) === "side") return { text: "Notes" };
      return beginningOf(client.wire, body).isAnswered
        ? { text: ANSWER }
        : { toolCalls: [client.readCall(FILE, project)] };
    });
    const first = await prompt(client, stage, "Read the notes.");
    const second = await prompt(client, stage, "Thank you.", { resume: true });
    const main = [...first.main, ...second.main];
    expectContinued(client, first.main);
    if (client.resumesPrefix) expectContinued(client, main);
    expect(main.map(({ raw }) => [timesIn(raw, STANDING), timesIn(raw, REMINDER)])).toEqual([
      [1, 0],
      [1, 1],
      [1, 1],
    ]);
    expect(newIn(client.wire, main[1]?.body)).toContain(REMINDER);
    expect(newIn(client.wire, main[2]?.body)).toContain("Thank you.");
    expectEnd(stage, { sessions: 1 });
    const [found] = stage.lines.flatMap(({ foundBy }) => foundBy ?? []);
    expect(found === "a new history").toBe(!isNamed);
  });
});

describe.each(agents.filter(({ delegates }) => delegates))("$title", ({ title, client, delegates }) => {
  test("AC-59 a sub-agent is told what is for it, and its parent what is for its parent", async (context) => {
    const { call, wait, end } = delegates as NonNullable<Agent["delegates"]>;
    const stage = await openThroughGateway({ title, client }, context, (body, { project }) => {
      const { isAnswered } = beginningOf(client.wire, body);
      const kind = kindOf(client, body);
      if (kind === "side") return { text: "Notes" };
      if (!isAnswered) return { toolCalls: [kind === "sub" ? client.readCall(FILE, project) : call] };
      if (kind === "sub") return end === undefined ? { text: "They are fine." } : { toolCalls: [end] };
      const next = wait?.(newIn(client.wire, body));
      return next === undefined ? { text: ANSWER } : { toolCalls: [next] };
    });
    const first = await prompt(client, stage, "Read the notes.");
    const second = await prompt(client, stage, "Thank you.", { resume: true });
    const main = [...first.main, ...second.main];
    expectContinued(client, client.resumesPrefix ? main : first.main);
    for (const { raw } of main) expect([timesIn(raw, STANDING), timesIn(raw, REMINDER)]).toEqual([1, 0]);
    expectContinued(client, first.sub);
    expect(first.sub.map(({ raw }) => [timesIn(raw, STANDING), timesIn(raw, REMINDER)])).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expectEnd(stage, { sessions: 2 });
  });
});

describe.each(agents.filter(({ compacts }) => compacts))("$title", ({ title, client, compacts, isNamed }) => {
  test("AC-59 after a compaction all that holds is said again, once", async (context) => {
    const { command, settings } = compacts as NonNullable<Agent["compacts"]>;
    let isFull = command === undefined;
    const settled: Client = {
      ...client,
      async settle(place) {
        await client.settle(place);
        await settings?.(place);
      },
    };
    const stage = await openThroughGateway({ title, client: settled }, context, (body, { project }) => {
      if (asksForSummary(client, body)) return { text: SUMMARY };
      if (!beginningOf(client.wire, body).isAnswered && !JSON.stringify(body).includes("were read."))
        return { toolCalls: [client.readCall(FILE, project)] };
      const usage = isFull ? { input: 120_000 } : {};
      isFull = false;
      return { text: ANSWER, usage };
    });
    await prompt(client, stage, "Read the notes.");
    if (isNamed) await stage.tell(LETTER);
    if (command !== undefined) await prompt(client, stage, command, { resume: true, isSilent: true });
    const [second, third] = [
      await prompt(client, stage, "Thank you.", { resume: true }),
      await prompt(client, stage, "Go on.", { resume: true }),
    ];
    const summaries = stage.server.requests.filter(({ body }) => asksForSummary(client, body));
    expect(summaries.length).toBeGreaterThan(0);
    const after = [...second.main, ...third.main];
    if (client.resumesPrefix) expectContinued(client, after);
    for (const { raw } of after) {
      expect(timesIn(raw, STANDING)).toBe(1);
      expect(timesIn(raw, REMINDER)).toBeLessThan(2);
      expect(timesIn(raw, LETTER)).toBe(isNamed ? 1 : 0);
    }
    expectEnd(stage, { sessions: isNamed ? 1 : 2 });
  });
});

type Kind = "main" | "sub" | "side";

/** As the client means it: without tools, or for work in the background, it is not the conversation. */
function kindOf({ wire }: Client, body: unknown): Kind {
  const { tools, system, messages } = body as { tools?: unknown[]; system?: unknown; messages?: unknown[] };
  if (!tools?.length) return "side";
  const beginning = JSON.stringify([system, messages?.[0]]);
  if (beginning.includes("You are now acting as ")) return "side";
  return beginningOf(wire, body).text.includes(SUBTASK) ? "sub" : "main";
}

/** Aside from the conversation, or as its last message. */
function asksForSummary(client: Client, body: unknown): boolean {
  const said = newIn(client.wire, body);
  const isPrompt = ["Read the notes.", "Thank you.", "Go on."].some((words) => said.includes(words));
  return (
    kindOf(client, body) === "side" || (!isPrompt && /detailed summary|summarizes a conversation/u.test(said))
  );
}

async function prompt(
  client: Client,
  stage: GatewayStage,
  text: string,
  { resume = false, isSilent = false } = {},
): Promise<Record<Kind, ReceivedRequest[]>> {
  const run = await stage.prompt(text, { resume });
  expectFine(client, run);
  if (!isSilent) expect(run.stdout).toContain(ANSWER);
  const found: Record<Kind, ReceivedRequest[]> = { main: [], sub: [], side: [] };
  for (const request of run.requests) {
    const kind = kindOf(client, request.body);
    found[kind].push(request);
    const isSummary = kind === "main" && asksForSummary(client, request.body);
    await record(stage.title, isSummary ? "summary" : kind, request);
  }
  for (const { raw } of found.side)
    for (const words of [STANDING, REMINDER, LETTER]) expect(raw).not.toContain(words);
  return found;
}

function expectContinued({ wire }: Client, requests: readonly ReceivedRequest[]): void {
  const prefixes = requests.map(({ body }) => prefixOf(wire, body));
  for (const [index, later] of prefixes.slice(1).entries())
    expect(later.startsWith(prefixes[index] as string), `${index + 1} goes on from ${index}`).toBe(true);
}

function expectEnd({ server, lines }: GatewayStage, { sessions }: { sessions: number }): void {
  expect(server.violations).toEqual([]);
  const found = new Set(lines.flatMap(({ session }) => session ?? []));
  expect([...found]).toHaveLength(sessions);
}
