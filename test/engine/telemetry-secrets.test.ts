// Telemetry has names and numbers: nothing that a file, a path, a prompt, a message or a hook says is in it.

import { metrics, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { anthropicMessages, type SessionEvent } from "sotto";
import { catalogue } from "sotto/inspect";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

const CANARY = "canary_8d1f";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
});
afterEach(() => {
  world.remove();
  trace.disable();
  metrics.disable();
});

/** Everything a host can tell, with the canary in every word of it. */
function events(): SessionEvent[] {
  const timestamp = "2026-11-15T10:00:00Z";
  const hook = { hookName: CANARY, hookEvent: CANARY, async: false, command: CANARY, stdout: CANARY };
  return [
    { type: "file_read", path: `${CANARY}/notes.md` },
    { type: "file_read", path: `${CANARY}/notes.md`, content: CANARY },
    { type: "mode_changed", mode: CANARY },
    { type: "mode_changed", mode: "plan", planFilePath: `/tmp/${CANARY}.md` },
    { type: "todos_written", items: [{ content: CANARY, status: "pending" }] },
    { type: "task_started", taskId: CANARY, taskType: "shell", description: CANARY, command: CANARY },
    { type: "task_progress", taskId: CANARY, message: CANARY },
    { type: "task_finished", taskId: CANARY, status: "failed", error: CANARY, deltaSummary: CANARY },
    { type: "hook_finished", ...hook, outcome: "blocking_error", message: CANARY, stderr: CANARY },
    { type: "hook_finished", ...hook, outcome: "success", async: true, additionalContext: CANARY },
    {
      type: "diagnostics_published",
      origin: "host",
      filePath: `/repo/${CANARY}.ts`,
      diagnostics: [{ message: CANARY, severity: "Error", line: 1, source: CANARY, code: CANARY }],
    },
    { type: "ide_changed", ideName: CANARY, openFile: `/repo/${CANARY}.ts` },
    { type: "prompt_queued", id: CANARY, prompt: CANARY },
    { type: "message_received", id: CANARY, from: CANARY, text: CANARY, timestamp },
    { type: "chats_changed", chats: [{ handle: CANARY, unreadCount: 2 }] },
    { type: "skill_invoked", name: CANARY, path: CANARY, content: CANARY },
    { type: "style_changed", style: CANARY },
    { type: "ultramemory_changed", content: CANARY },
    {
      type: "tool_finished",
      toolName: CANARY,
      callId: CANARY,
      success: true,
      durationMs: 1,
      paths: [CANARY],
    },
    // A name nobody knows is content as well.
    { type: "noted", attachment: { type: CANARY, text: CANARY } },
  ];
}

it("AC-48 canaries in files, paths, prompts, messages, hooks and names never show up in telemetry", async () => {
  const spans = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
  );
  const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  world.write(`${CANARY}/notes.md`, `${CANARY}\n`);
  world.write("AGENTS.md", CANARY);

  const session = openIn(world, {
    id: CANARY,
    config: { telemetry_sample: 1, critical_instruction: CANARY, attachments: { tool_results: true } },
  });
  const messages: object[] = [];
  const ask = async (userPrompt: string) => {
    messages.push({ role: "user", content: userPrompt });
    const body = { model: CANARY, max_tokens: 1, system: CANARY, messages: [...messages] } as never;
    const turn = await session.turn({ dialect: anthropicMessages, body, userPrompt });
    await turn.commit();
    messages.push({ role: "assistant", content: CANARY });
    return turn;
  };
  await ask(`Look at @${CANARY}/notes.md and @${CANARY} and @agent-${CANARY}`);
  for (const event of events()) await session.record(event);
  world.write(`${CANARY}/notes.md`, `${CANARY}\nmore ${CANARY}\n`);
  await ask(CANARY);
  await session.record({ type: "compacted" });
  await ask("Go on.");
  const child = session.subagent({ agentType: CANARY, definition: { criticalSystemReminder: CANARY } });
  const turns = [await child.turn({ userPrompt: CANARY }), await session.turn({ body: CANARY as never })];
  await vi.waitFor(() => expect(spans.getFinishedSpans()).toHaveLength(5), 300_000);
  await provider.forceFlush();

  // Otherwise nothing would be proved.
  const sent = spans
    .getFinishedSpans()
    .flatMap(({ events: [event] }) => event?.attributes?.["sotto.types"] ?? []);
  expect(new Set(sent).size).toBeGreaterThan(10);
  expect(turns[1]?.problem).toBeDefined();
  const exported = [
    ...spans.getFinishedSpans().map(({ name, attributes, events: its, status, links }) => {
      return { name, attributes, its, status, links };
    }),
    ...figures.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics),
  ];
  expect(JSON.stringify(exported)).not.toMatch(new RegExp(`${CANARY}|${world.root}`, "iu"));
  const names = new Set(catalogue.flatMap(({ type, generator }) => [type, generator]));
  for (const name of sent) expect(names).toContain(name);
  await session.close();
  await provider.shutdown();
});
