import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTick } from "node:timers/promises";
import { type Context, context, metrics, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { seeded } from "../../../../test/support/seeded.ts";
import { catalogue } from "../attachments/catalogue.ts";
import type { EngineOptions } from "../engine/options.ts";
import { createSessionFrom, type Session } from "../engine/session.ts";
import type { TraceEntry } from "../log/trace.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import { userDirectories } from "../platform/user-directories.ts";
import { builtInSources } from "../sources/built-in.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { openTelemetry } from "./open-telemetry.ts";

const closing: (() => Promise<unknown>)[] = [];
const stop = async () => {
  for (const close of closing.splice(0)) await close().catch(() => undefined);
  for (const one of [trace, metrics, context]) one.disable();
};
afterEach(stop);

const builtIn = ({ cwd, home, permissions }: EngineOptions) =>
  builtInSources({ cwd, permissions, ...userDirectories(home) });

/** A session whose sampling is up to `random`. */
function open(options: Partial<EngineOptions> = {}, random = () => 0.5): Session {
  const platform = { ...nodePlatform, random };
  const session = createSessionFrom(
    { platform, telemetry: openTelemetry, catalogue, sources: builtIn, store: createMemoryStore() },
    {
      cwd: "/repo",
      home: "/home/nobody",
      agent: { kind: "main" },
      ...options,
      config: { telemetry_sample: 1, ...options.config },
    },
  );
  closing.push(() => session.close());
  return session;
}

/** The real SDK, with exporters that keep what they get. */
function register(exporter: SpanExporter = new InMemorySpanExporter()) {
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  closing.push(() => provider.shutdown());
  return {
    spans: () => (exporter as InMemorySpanExporter).getFinishedSpans(),
    async figures() {
      await provider.forceFlush();
      const metric = metricExporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
      return Object.fromEntries(
        metric.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ attributes, value }) => ({
            ...(attributes as { "sotto.generator": string }),
            value,
          })),
        ]),
      );
    },
  };
}

/** The first report waits for the package. */
beforeAll(async () => {
  const { spans } = register();
  await open().turn();
  await vi.waitFor(() => expect(spans()).toHaveLength(1), 300_000);
  await stop();
});

/** Reports come behind the turn. */
async function told(): Promise<void> {
  for (let ticks = 0; ticks < 5; ticks++) await nextTick();
}

function counted(outcomes: readonly TraceEntry[]): Record<string, number> {
  const kinds = Map.groupBy(outcomes, ({ outcome }) => `sotto.outcome.${outcome.replaceAll(" ", "_")}`);
  return Object.fromEntries([...kinds].map(([kind, entries]) => [kind, entries.length]));
}

const critical = { critical_instruction: "Run the tests." };

describe("with an SDK", () => {
  it("a turn is a span with counts, and an event that names what was sent", async () => {
    const { spans } = register();
    const session = open({ config: critical });
    await session.record({ type: "prompt_queued", id: "1", prompt: "And the docs." });
    const { reminders, trace: outcomes } = await session.turn();
    await told();
    const [span] = spans();
    expect(span?.name).toBe("sotto.turn");
    expect(span?.attributes).toEqual({
      "sotto.agent": "main",
      "sotto.turn": 1,
      "sotto.sample": 1,
      "sotto.reminders": 2,
      "sotto.tokens": reminders.reduce((sum, { tokens }) => sum + tokens, 0),
      "sotto.bytes": reminders.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      ...counted(outcomes),
    });
    expect(span?.events.map(({ name, attributes }) => ({ name, attributes }))).toEqual([
      { name: "sotto.sent", attributes: { "sotto.types": ["critical_system_reminder", "queued_command"] } },
    ]);
    expect(span?.status).toEqual({ code: SpanStatusCode.UNSET });
  });

  it("a turn that could not do its work is an error, without its words", async () => {
    const { spans } = register();
    const store = createMemoryStore();
    const platform = { ...nodePlatform, random: () => 0 };
    const broken = {
      ...store,
      append: () => Promise.reject(new Error("/home/ada/sotto.db is full")),
    };
    const session = createSessionFrom(
      { platform, telemetry: openTelemetry, catalogue, sources: () => [], store: broken },
      { cwd: "/repo", agent: { kind: "main" } },
    );
    expect((await session.turn()).problem).toContain("is full");
    await told();
    expect(spans().map(({ status, events }) => ({ status, events }))).toEqual([
      { status: { code: SpanStatusCode.ERROR }, events: [] },
    ]);
  });

  it("each generator has its duration, size, count and errors", async () => {
    const { figures } = register();
    const session = open({ config: critical });
    const { reminders } = await session.turn();
    await told();
    const found = await figures();
    const generators = [...new Set(catalogue.map(({ generator }) => generator))];
    const own = { "sotto.generator": "critical_system_reminder", "sotto.agent": "main" };
    expect(found["sotto.generator.duration"]?.map((one) => one["sotto.generator"]).sort()).toEqual(
      generators.sort(),
    );
    expect(found["sotto.generator.count"]).toEqual([{ ...own, value: 1 }]);
    const bytes = Buffer.byteLength(reminders[0]?.text ?? "");
    expect(found["sotto.generator.size"]).toEqual([
      { ...own, value: expect.objectContaining({ count: 1, sum: bytes }) },
    ]);
    expect(found["sotto.generator.errors"]).toBeUndefined();
  });

  it("a generator that fails is counted", async () => {
    const { figures } = register();
    const source = { fact: "planFile" as const, observe: () => Promise.reject(new Error("no disk")) };
    const session = open({ sources: [source] });
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
    await session.turn();
    await told();
    const errors = (await figures())["sotto.generator.errors"] ?? [];
    expect(errors.map((one) => one["sotto.generator"])).toContain("plan_mode");
  });

  it("the span belongs to what the host is doing", async () => {
    const { spans } = register();
    context.setGlobalContextManager(createContextManager());
    const session = open();
    const tracer = trace.getTracer("host");
    const parent = tracer.startSpan("answer");
    await context.with(trace.setSpan(context.active(), parent), () => session.turn());
    await told();
    parent.end();
    const [turn] = spans();
    expect(turn?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
  });

  it("one that is registered later hears what comes then", async () => {
    const session = open({ config: critical });
    await session.turn();
    await told();
    register();
    await session.turn();
    await told();
    metrics.disable();
    trace.disable();
    const { spans, figures } = register();
    await session.turn();
    await told();
    expect(spans()).toHaveLength(1);
    expect((await figures())["sotto.generator.count"]).toHaveLength(1);
  });
});

describe("without an SDK", () => {
  it("turns are as they are", async () => {
    const session = open({ config: critical });
    const { reminders, problem } = await session.turn();
    await told();
    expect({ said: reminders.length, problem }).toEqual({ said: 1, problem: undefined });
  });
});

describe("how many turns are told", () => {
  const share = async (telemetry_sample: number | undefined, turns: number): Promise<number> => {
    const { spans } = register();
    const random = seeded(7);
    const config = telemetry_sample === undefined ? {} : { telemetry_sample };
    const session = createSessionFrom(
      {
        telemetry: openTelemetry,
        platform: { ...nodePlatform, random: () => random.below(1_000_000) / 1_000_000 },
        catalogue: [],
        sources: () => [],
        store: createMemoryStore(),
      },
      { cwd: "/repo", agent: { kind: "main" }, config },
    );
    for (let turn = 0; turn < turns; turn++) await session.turn();
    await told();
    return spans().length;
  };

  it("none at 0", async () => expect(await share(0, 50)).toBe(0));
  it("all at 1", async () => expect(await share(1, 50)).toBe(50));
  it.each([0.05, undefined])("one in twenty at %s", async (sample) => {
    const told = await share(sample, 1000);
    expect(told).toBeGreaterThan(25);
    expect(told).toBeLessThan(80);
  });

  it("none where all is switched off", async () => {
    const { spans } = register();
    await open({ config: { enabled: false } }).turn();
    await told();
    expect(spans()).toEqual([]);
  });

  it.each([-0.1, 1.1, Number.NaN, "all"])("%s is refused", (telemetry_sample) => {
    expect(() => open({ config: { telemetry_sample: telemetry_sample as number } })).toThrow(
      /config\.telemetry_sample/u,
    );
  });
});

describe("a listener that is broken costs nothing", () => {
  const broken = () => {
    throw new Error("broken");
  };

  it.each<[string, () => void]>([
    ["an exporter that throws", () => register({ export: broken, shutdown: async () => undefined })],
    [
      "an exporter that never answers",
      () => register({ export: () => undefined, shutdown: async () => undefined }),
    ],
    ["a tracer that throws", () => trace.setGlobalTracerProvider({ getTracer: broken })],
    ["a meter that throws", () => metrics.setGlobalMeterProvider({ getMeter: broken })],
  ])("%s", async (_, breakIt) => {
    breakIt();
    const session = open({ config: critical });
    for (let turn = 1; turn <= 3; turn++) {
      const { reminders, problem, commit } = await session.turn();
      expect({ said: reminders.length, problem }).toEqual({ said: 1, problem: undefined });
      expect(await commit()).toBe(true);
    }
    await told();
  });

  it("a meter that throws leaves the spans alone", async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(
      new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
    );
    metrics.setGlobalMeterProvider({ getMeter: broken });
    await open().turn();
    await told();
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });
});

/** As hosts on Node have it. */
function createContextManager() {
  const storage = new AsyncLocalStorage<Context>();
  return {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
      one: Context,
      run: F,
      thisArg?: ThisParameterType<F>,
      ...args: A
    ) => storage.run(one, () => run.call(thisArg as ThisParameterType<F>, ...args)),
    bind: <T>(_: Context, target: T) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  };
}
