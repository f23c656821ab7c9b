// Counters in Prometheus's text format. No text and no ids: labels are upstreams, dialects and a few fixed words.

export interface Metrics {
  count(name: CounterName, labels: Labels, by?: number): void;
  /** Milliseconds before a request went on. */
  added(labels: Labels, ms: number): void;
  gauge(name: GaugeName, read: () => number): void;
  data(): MetricsData;
  total(name: CounterName): number;
}

type Labels = Readonly<Record<string, string>>;

const COUNTERS = {
  requests: "Requests, by upstream, dialect and status class.",
  reminders: "Reminders put into requests.",
  unchanged: "Requests of a known kind that went out as they came.",
  problems: "Of these, those where something was wrong: the log says what.",
  prefixes: "Requests that continue a conversation, by whether they begin as the last one that went out did.",
  input_tokens: "Tokens in the window, as answers report them.",
  cached_tokens: "Of these, read from the provider's cache.",
  output_tokens: "Tokens of answers, as they report them.",
  failures: "Requests that the upstream did not answer.",
  cuts: "Answers that ended early, by either side.",
  refused: "Requests that the gateway refused, by status.",
} as const;
export type CounterName = keyof typeof COUNTERS;

const GAUGES = {
  active_requests: "Requests that are being answered.",
  open_sessions: "Sessions that are kept open.",
  workers: "Processes that share the port.",
  workers_answered:
    "Of these, those whose counts are new. Of the others the last known ones are in the sums.",
} as const;
export type GaugeName = keyof typeof GAUGES;

const BUCKETS = [0.5, 1, 2, 5, 10, 25, 50, 100, 250, 1000];

interface Times {
  buckets: number[];
  count: number;
  sum: number;
}

/** All that was counted, by name and labels: plain data, so that processes can send it to each other. */
export interface MetricsData {
  counters: Partial<Record<CounterName, Record<string, number>>>;
  times: Record<string, Times>;
  gauges: Partial<Record<GaugeName, number>>;
}

export function createMetrics(): Metrics {
  const own: MetricsData = { counters: {}, times: {}, gauges: {} };
  const gauges = new Map<GaugeName, () => number>();
  return {
    count(name, labels, by = 1) {
      if (by === 0) return;
      own.counters[name] ??= {};
      add(own.counters[name], labelText(labels), by);
    },
    added(labels, ms) {
      const key = labelText(labels);
      own.times[key] ??= noTimes();
      addTimes(own.times[key], { buckets: BUCKETS.map((most) => (ms <= most ? 1 : 0)), count: 1, sum: ms });
    },
    gauge: (name, read) => void gauges.set(name, read),
    total: (name) => Object.values(own.counters[name] ?? {}).reduce((sum, value) => sum + value, 0),
    data: () => ({
      ...own,
      gauges: Object.fromEntries([...gauges].map(([name, read]) => [name, read()])),
    }),
  };
}

/** Of several processes together. */
export function sumOfMetrics(all: readonly MetricsData[]): MetricsData {
  const sum: MetricsData = { counters: {}, times: {}, gauges: {} };
  for (const { counters, times, gauges } of all) {
    for (const [name, values] of Object.entries(counters) as [CounterName, Record<string, number>][]) {
      sum.counters[name] ??= {};
      for (const [labels, value] of Object.entries(values)) add(sum.counters[name], labels, value);
    }
    for (const [labels, one] of Object.entries(times)) {
      sum.times[labels] ??= noTimes();
      addTimes(sum.times[labels], one);
    }
    for (const [name, value] of Object.entries(gauges) as [GaugeName, number][]) add(sum.gauges, name, value);
  }
  return sum;
}

function add<Name extends string>(to: Partial<Record<Name, number>>, name: Name, by: number): void {
  to[name] = (to[name] ?? 0) + by;
}

function noTimes(): Times {
  return { buckets: BUCKETS.map(() => 0), count: 0, sum: 0 };
}

function addTimes(to: Times, { buckets, count, sum }: Times): void {
  to.count += count;
  to.sum += sum;
  for (const [at, many] of buckets.entries()) to.buckets[at] = (to.buckets[at] ?? 0) + many;
}

export function metricsText({ counters, gauges, times }: MetricsData): string {
  const lines: string[] = [];
  for (const [name, values] of Object.entries(counters)) {
    lines.push(
      `# HELP sotto_gateway_${name}_total ${COUNTERS[name as CounterName]}`,
      `# TYPE sotto_gateway_${name}_total counter`,
    );
    for (const [labels, value] of Object.entries(values))
      lines.push(`sotto_gateway_${name}_total${braced(labels)} ${value}`);
  }
  for (const [name, value] of Object.entries(gauges))
    lines.push(
      `# HELP sotto_gateway_${name} ${GAUGES[name as GaugeName]}`,
      `# TYPE sotto_gateway_${name} gauge`,
      `sotto_gateway_${name} ${value}`,
    );
  if (Object.keys(times).length > 0)
    lines.push(
      "# HELP sotto_gateway_added_milliseconds Time before a request went on.",
      "# TYPE sotto_gateway_added_milliseconds histogram",
    );
  for (const [labels, { buckets, count, sum }] of Object.entries(times)) {
    const behind = labels === "" ? "" : `${labels},`;
    for (const [at, most] of BUCKETS.entries())
      lines.push(`sotto_gateway_added_milliseconds_bucket{${behind}le="${most}"} ${buckets[at]}`);
    lines.push(
      `sotto_gateway_added_milliseconds_bucket{${behind}le="+Inf"} ${count}`,
      `sotto_gateway_added_milliseconds_sum${braced(labels)} ${sum}`,
      `sotto_gateway_added_milliseconds_count${braced(labels)} ${count}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/gu, "_")}"`)
    .join(",");
}

function braced(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}
