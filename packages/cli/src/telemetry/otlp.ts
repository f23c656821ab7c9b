// Reports turns to an OpenTelemetry collector, as JSON over HTTP, if the usual environment variables name one.

import { onTurnReport, reportAttributes, reportEvents, type TurnReport } from "sotto/internal";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Reporting {
  /** Stops, and sends what is left within the limit (or the user's own). Never rejects. */
  end(limitMs: number): Promise<void>;
}

interface Target {
  traces: string | undefined;
  metrics: string | undefined;
  headers: Record<string, string>;
  resource: Record<string, string>;
  /** The user's timeout. */
  limitMs: number | undefined;
}

const EVERY_MS = 5000;
const LONGEST_MS = 5000;
// Limits memory if the collector does not answer.
const MOST_WAITING = 1000;

export function startReporting(environment: Environment): Reporting | undefined {
  const target = targetIn(environment);
  if (target === undefined) return undefined;
  const waiting: TurnReport[] = [];
  let timer: NodeJS.Timeout | undefined;
  const send = async (limitMs: number) => {
    clearTimeout(timer);
    timer = undefined;
    const reports = waiting.splice(0);
    if (reports.length > 0) await sendAll(target, reports, limitMs);
  };
  const stop = onTurnReport((report) => {
    if (waiting.length >= MOST_WAITING) return;
    waiting.push(report);
    timer ??= setTimeout(() => void send(LONGEST_MS), EVERY_MS).unref();
  });
  return {
    async end(limitMs) {
      stop();
      await send(target.limitMs ?? limitMs);
    },
  };
}

/** Undefined if no collector is set, telemetry is off, or the protocol is not HTTP. */
function targetIn(environment: Environment): Target | undefined {
  const value = (name: string) => environment[`OTEL_${name}`]?.trim() || undefined;
  const isNone = (signal: string) => value(`${signal}_EXPORTER`)?.split(",").includes("none") ?? false;
  if (value("SDK_DISABLED")?.toLowerCase() === "true" || value("EXPORTER_OTLP_PROTOCOL") === "grpc")
    return undefined;
  const base = value("EXPORTER_OTLP_ENDPOINT")?.replace(/\/+$/u, "");
  const placeOf = (signal: "TRACES" | "METRICS") => {
    const own = value(`EXPORTER_OTLP_${signal}_ENDPOINT`);
    const place = own ?? (base === undefined ? undefined : `${base}/v1/${signal.toLowerCase()}`);
    return place === undefined || isNone(signal) || !/^https?:/iu.test(place) ? undefined : place;
  };
  const [traces, metrics] = [placeOf("TRACES"), placeOf("METRICS")];
  if (traces === undefined && metrics === undefined) return undefined;
  return {
    traces,
    metrics,
    headers: pairsIn(value("EXPORTER_OTLP_HEADERS")),
    limitMs: Number(value("EXPORTER_OTLP_TIMEOUT")) || undefined,
    resource: {
      ...pairsIn(value("RESOURCE_ATTRIBUTES")),
      "service.name": value("SERVICE_NAME") ?? "sotto",
    },
  };
}

/** Parses `a=1,b=two%20words`; skips invalid pairs. */
function pairsIn(text = ""): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) return [];
    try {
      return [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

async function sendAll(target: Target, reports: readonly TurnReport[], limitMs: number): Promise<void> {
  const { traces, metrics, headers } = target;
  const resource = { attributes: attributes(target.resource) };
  const scope = { name: "sotto" };
  const post = async (place: string | undefined, body: object) => {
    if (place === undefined) return;
    const response = await fetch(place, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(limitMs),
    });
    await response.body?.cancel();
  };
  // Failures are ignored.
  await Promise.allSettled([
    post(traces, { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: reports.map(spanOf) }] }] }),
    post(metrics, {
      resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: metricsOf(reports) }] }],
    }),
  ]);
}

function spanOf(report: TurnReport): object {
  const { startedAt, ms, failed } = report;
  const end = nanoseconds(startedAt + ms);
  return {
    traceId: randomHex(16),
    spanId: randomHex(8),
    name: "sotto.turn",
    kind: 1,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: end,
    attributes: attributes(reportAttributes(report)),
    events: reportEvents(report).map((event) => ({
      name: event.name,
      timeUnixNano: end,
      attributes: attributes(event.attributes),
    })),
    status: failed ? { code: 2 } : {},
  };
}

type Point = { generator: TurnReport["generators"][number]; report: TurnReport };

/** Delta metrics: a process that lives for one call has nothing to accumulate. */
function metricsOf(reports: readonly TurnReport[]): object[] {
  const points = reports.flatMap((report) => report.generators.map((generator) => ({ generator, report })));
  const spoken = points.filter(({ generator }) => generator.sent > 0);
  const failing = points.filter(({ generator }) => generator.errors > 0);
  return [
    histogram("sotto.generator.duration", "ms", points, ({ generator }) => generator.ms),
    histogram("sotto.generator.size", "By", spoken, ({ generator }) => generator.bytes),
    counter("sotto.generator.count", spoken, ({ generator }) => generator.sent),
    counter("sotto.generator.errors", failing, ({ generator }) => generator.errors),
  ].filter((metric) => metric !== undefined);
}

function histogram(name: string, unit: string, points: readonly Point[], amount: (point: Point) => number) {
  if (points.length === 0) return undefined;
  const dataPoints = points.map((point) => {
    const value = amount(point);
    return { ...about(point), count: "1", sum: value, min: value, max: value, bucketCounts: ["1"] };
  });
  return { name, unit, histogram: { aggregationTemporality: 1, dataPoints } };
}

function counter(name: string, points: readonly Point[], amount: (point: Point) => number) {
  if (points.length === 0) return undefined;
  const dataPoints = points.map((point) => ({ ...about(point), asInt: String(amount(point)) }));
  return { name, sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints } };
}

function about({ generator, report: { agent, startedAt, ms } }: Point) {
  return {
    attributes: attributes({ "sotto.generator": generator.generator, "sotto.agent": agent }),
    startTimeUnixNano: nanoseconds(startedAt),
    timeUnixNano: nanoseconds(startedAt + ms),
  };
}

function attributes(values: Readonly<Record<string, string | number | readonly string[]>>): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: string | number | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}

/** Without node:crypto, which is slow to load. */
function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
