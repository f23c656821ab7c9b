// Reports turns through OpenTelemetry if the host has it: a span, its events, and metrics per generator.

import type { Counter, Histogram, MeterProvider } from "@opentelemetry/api";
import type { Telemetry, TurnReport } from "../engine/telemetry.ts";

type Api = typeof import("@opentelemetry/api");

interface Instruments {
  provider: MeterProvider;
  duration: Histogram;
  size: Histogram;
  count: Counter;
  errors: Counter;
}

// Where every copy of the API's major version 1 keeps what was registered. Without an entry there is no SDK, and the
// package need not be looked for.
const REGISTRY = Symbol.for("opentelemetry.js.api.1");
const SCOPE = "sotto";

let loading: Promise<Api | undefined> | undefined;
let instruments: Instruments | undefined;

/** Our own programs that report by themselves. */
const listeners = new Set<(report: TurnReport) => void>();

/** Calls back with every reported turn of this process, until the returned function is called. */
export function onTurnReport(listen: (report: TurnReport) => void): () => void {
  listeners.add(listen);
  return () => void listeners.delete(listen);
}

export const openTelemetry: Telemetry = {
  // The usual variable of model instrumentations.
  wantsTexts: () =>
    /^(?:1|true)$/iu.test(process.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim() ?? ""),
  turn(report) {
    for (const listen of listeners) listen(report);
    if (!(REGISTRY in globalThis)) return;
    // After the turn, which waits for no exporter; still in its asynchronous context, so that the span finds its parent.
    setImmediate(() => void tell(report));
  },
};

async function tell(report: TurnReport): Promise<void> {
  loading ??= import("@opentelemetry/api").catch(() => undefined);
  const api = await loading;
  if (api === undefined) return;
  for (const tellOne of [tellTurn, tellGenerators])
    try {
      tellOne(api, report);
    } catch {
      // A listener that throws gets nothing.
    }
}

function tellTurn({ trace, SpanStatusCode }: Api, report: TurnReport): void {
  const { startedAt, ms } = report;
  const endedAt = startedAt + ms;
  const span = trace
    .getTracer(SCOPE)
    .startSpan("sotto.turn", { startTime: startedAt, attributes: attributesOf(report) });
  for (const { name, attributes } of eventsOf(report)) span.addEvent(name, attributes, endedAt);
  if (report.failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endedAt);
}

/** Counts only: file names are content. */
export function eventsOf(
  report: TurnReport,
): { name: string; attributes: Record<string, string | number | string[]> }[] {
  const { sent, mentionsAttached, mentionsFailed, unreadable, said = [] } = report;
  return [
    ...(sent.length > 0 ? [{ name: "sotto.sent", attributes: { "sotto.types": sent } }] : []),
    ...(mentionsAttached > 0
      ? [{ name: "sotto.mentions.attached", attributes: { "sotto.count": mentionsAttached } }]
      : []),
    ...(mentionsFailed > 0
      ? [{ name: "sotto.mentions.failed", attributes: { "sotto.count": mentionsFailed } }]
      : []),
    ...(unreadable > 0
      ? [{ name: "sotto.files.unreadable", attributes: { "sotto.count": unreadable } }]
      : []),
    ...said.map(({ type, text }) => ({
      name: "sotto.reminder",
      attributes: { "sotto.type": type, "sotto.text": text },
    })),
  ];
}

export function attributesOf({
  agent,
  number,
  sample,
  reminders,
  tokens,
  bytes,
  outcomes,
}: TurnReport): Record<string, string | number> {
  const counts = Object.entries(outcomes).map(([kind, count]) => [
    `sotto.outcome.${kind.replaceAll(" ", "_")}`,
    count,
  ]);
  return {
    "sotto.agent": agent,
    "sotto.turn": number,
    "sotto.sample": sample,
    "sotto.reminders": reminders,
    "sotto.tokens": tokens,
    "sotto.bytes": bytes,
    ...(Object.fromEntries(counts) as Record<string, number>),
  };
}

function tellGenerators({ metrics }: Api, { agent, generators }: TurnReport): void {
  const provider = metrics.getMeterProvider();
  if (instruments?.provider !== provider) instruments = createInstruments(provider);
  const { duration, size, count, errors } = instruments;
  for (const one of generators) {
    const attributes = { "sotto.generator": one.generator, "sotto.agent": agent };
    duration.record(one.ms, attributes);
    if (one.sent > 0) count.add(one.sent, attributes);
    if (one.sent > 0) size.record(one.bytes, attributes);
    if (one.errors > 0) errors.add(one.errors, attributes);
  }
}

/** An SDK may be registered at any time, and instruments belong to the one that was registered then. */
function createInstruments(provider: MeterProvider): Instruments {
  const meter = provider.getMeter(SCOPE);
  return {
    provider,
    duration: meter.createHistogram("sotto.generator.duration", {
      unit: "ms",
      description: "Time a generator took to decide and render",
    }),
    size: meter.createHistogram("sotto.generator.size", {
      unit: "By",
      description: "Size of what a generator sent in a turn",
    }),
    count: meter.createCounter("sotto.generator.count", { description: "Reminders a generator sent" }),
    errors: meter.createCounter("sotto.generator.errors", {
      description: "Turns in which a generator failed or was not ready in time",
    }),
  };
}
