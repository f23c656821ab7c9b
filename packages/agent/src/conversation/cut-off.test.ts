// A recorded conversation, cut off wherever a process can end, is resumed twice, for every provider.

import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LanguageModel } from "ai";
import { createMemoryStore } from "sotto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { blocksOf, type MeasuredWire } from "../../../../test/support/prefix.ts";
import { isWhole } from "../../../../test/support/runs.ts";
import {
  type ModelServer,
  type ProviderName,
  startModelServer,
} from "../../../../test/support/servers/model-server.ts";
import { openSession } from "../../../../test/support/telling.ts";
import { createAgent } from "../agent.ts";
import { resolveModel } from "../model/resolve-model.ts";
import { look } from "../tools/testing.ts";
import type { Tool } from "../tools/tool.ts";
import { openTranscript, readConversation, type TranscriptEntry } from "./transcript.ts";

const PROVIDERS: [name: string, provider: ProviderName, wire: MeasuredWire, path: string][] = [
  ["anthropic/claude-test", "anthropic", "anthropic-messages", ""],
  ["openai/gpt-test", "openai-responses", "openai-responses", "/v1"],
  ["openai-chat/gpt-test", "openai-chat", "openai-chat", "/v1"],
  ["google/gemini-3-pro", "gemini", "gemini", ""],
  ["compatible/test", "openai-chat", "openai-chat", "/v1"],
];

const looks = (...paths: string[]) => ({
  toolCalls: paths.map((path) => ({ name: "Look", input: { path } })),
});
const SCRIPT = [looks("a", "b", "c"), { text: "Seen." }, looks("d"), { text: "Seen too." }];
const header = { type: "session" as const, id: "s", cwd: "/nowhere", model: "m", at: "1" };

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "sotto-cut-off-")), "s.jsonl");
});
afterEach(() => rm(join(path, ".."), { recursive: true }));

test.each(PROVIDERS)(
  "AC-38 %s goes on with a conversation that was cut off anywhere",
  async (model, provider, wire, urlPath) => {
    const server = await startModelServer({
      provider,
      script: (_, index) => SCRIPT[index] ?? { text: "Going on." },
    });
    try {
      const chosen = await resolveModel({ model, baseUrl: server.url + urlPath }, {});
      const process = () => startProcess(chosen?.model as LanguageModel);
      const first = await process();
      for (const prompt of ["first words", "second words"]) await first.run(prompt);
      await first.end();
      const recorded = sentTo(server, wire);
      expect(recorded).toHaveLength(SCRIPT.length);

      // `npm test` has each cut with one of the providers.
      const turn = PROVIDERS.findIndex(([name]) => name === model);
      const cuts = cutsOf(readFileSync(path, "utf8")).filter(
        (_, at) => isWhole || at % PROVIDERS.length === turn,
      );
      for (const cut of cuts) {
        writeFileSync(path, cut);
        const before = server.requests.length;
        for (const prompt of ["third words", "fourth words"]) {
          const resumed = await process();
          expect(await resumed.run(prompt), cut).toMatchObject({ text: "Going on." });
          await resumed.end();
        }
        const [third = [], fourth = []] = sentTo(server, wire).slice(before);
        // All requests that the file knows of, and then each the one before.
        for (const sent of recorded.slice(0, turnsIn(cut)))
          expect(third.slice(0, sent.length), cut).toEqual(sent);
        expect(fourth.slice(0, third.length), cut).toEqual(third);
        for (const words of [...promptsIn(cut), "third words", "fourth words"])
          expect(fourth.join().split(words), cut).toHaveLength(2);
        for (const seen of resultsIn(cut)) expect(third.join(), cut).toContain(seen);
      }
      expect(server.violations).toEqual([]);
    } finally {
      await server.close();
    }
  },
);

test("AC-38 a result is written down before the next call begins", async () => {
  const server = await startModelServer({
    provider: "anthropic",
    script: (_, index) => SCRIPT[index] ?? { text: "Going on." },
  });
  try {
    const { model } = (await resolveModel({ model: "anthropic/claude-test", baseUrl: server.url }, {})) as {
      model: LanguageModel;
    };
    const kept: string[][] = [];
    const process = await startProcess(model, () => kept.push(resultsIn(readFileSync(path, "utf8"))));
    await process.run("first words");
    await process.end();
    expect(kept).toEqual([[], ["seen a"], ["seen a", "seen b"]]);
  } finally {
    await server.close();
  }
});

test("AC-44 a prompt typed while the agent works comes once, wherever the process ended", async () => {
  const typed: { queue?: () => void } = {};
  const server = await startModelServer({
    provider: "anthropic",
    script(_, index) {
      if (index === 0) typed.queue?.();
      return SCRIPT[index] ?? { text: "Going on." };
    },
  });
  try {
    const { model } = (await resolveModel({ model: "anthropic/claude-test", baseUrl: server.url }, {})) as {
      model: LanguageModel;
    };
    // It ends during its first call: the file has the typed line, and no answer.
    const first = await startProcess(model);
    const stop = new AbortController();
    typed.queue = () => {
      first.agent.queue("typed words");
      stop.abort();
    };
    expect((await first.agent.run("first words", stop.signal)).problem).toBe("aborted");
    await first.end();
    for (const prompt of ["second words", "third words"]) {
      const resumed = await startProcess(model);
      await resumed.run(prompt);
      await resumed.end();
      expect((await readConversation(path))?.waiting).toEqual([]);
    }
    const last = sentTo(server, "anthropic-messages").at(-1)?.join() ?? "";
    expect(last.split("typed words")).toHaveLength(2);
    expect(server.violations).toEqual([]);
  } finally {
    await server.close();
  }
});

async function startProcess(model: LanguageModel, beforeCall = () => {}) {
  const before = await readConversation(path);
  const transcript = await openTranscript(path);
  await transcript.append(header);
  const session = openSession({ cwd: "/nowhere", home: "/nowhere", store: createMemoryStore() });
  const agent = createAgent({
    session,
    model,
    system: () => "You are a test.",
    tools: [look as unknown as Tool],
    window: 100_000,
    listen: () => undefined,
    execute: async ({ input }) => {
      beforeCall();
      return look.run(input as { path: string }, undefined as never);
    },
    transcript,
    messages: before?.messages ?? [],
    turns: before?.turns ?? new Map(),
    waiting: before?.waiting ?? [],
  });
  return {
    agent,
    run: (prompt: string) => agent.run(prompt, new AbortController().signal),
    end: () => session.close(),
  };
}

/** At the end of each line and in its middle; the latter also as a version that added no results continued it. */
function cutsOf(recorded: string): string[] {
  const lines = recorded.trimEnd().split("\n");
  const entries: TranscriptEntry[] = [
    header,
    { type: "message", message: { role: "user", content: "older words" } },
  ];
  const continued = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  return lines.flatMap((_, index) => {
    const whole = lines.slice(0, index + 1).join("\n");
    const next = lines[index + 1] ?? "";
    const half = `${whole}\n${next.slice(0, next.length / 2)}`;
    return [whole, half, half + continued];
  });
}

function entriesIn(cut: string): TranscriptEntry[] {
  return cut.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as TranscriptEntry];
    } catch {
      return [];
    }
  });
}

function turnsIn(cut: string): number {
  return entriesIn(cut).filter(({ type }) => type === "turn").length;
}

function promptsIn(cut: string): string[] {
  return entriesIn(cut).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "user" ? [String(entry.message.content)] : [],
  );
}

function resultsIn(cut: string): string[] {
  return entriesIn(cut)
    .flatMap((entry) =>
      entry.type === "message" && entry.message.role === "tool" ? entry.message.content : [],
    )
    .flatMap((part) =>
      part.type === "tool-result" && part.output.type === "text" ? [part.output.value] : [],
    );
}

function sentTo(server: ModelServer, wire: MeasuredWire): string[][] {
  return server.requests.map(({ body }) => blocksOf(wire, body));
}
