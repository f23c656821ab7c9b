// Counters in Prometheus's text format. No text and no ids: labels are upstreams, dialects and a few fixed words.

export interface Metrics {
  count(name: CounterName, labels: Labels, by?: number): void;
  /** Milliseconds before a request went on. */
  added(labels: Labels, ms: number): void;
  gauge(name: string, help: string, read: () => number): void;
  text(): string;
  total(name: CounterName): number;
}

type Labels = Readonly<Record<string, string>>;

const COUNTERS = {
  requests: "Requests, by upstream, dialect and status class.",
  reminders: "Reminders put into requests.",
  unchanged: "Requests of a known kind that went out as they came.",
  problems: "Of these, those where something was wrong.",
  input_tokens: "Tokens in the window, as answers report them.",
  cached_tokens: "Of these, read from the provider's cache.",
  output_tokens: "Tokens of answers, as they report them.",
  failures: "Requests that the upstream did not answer.",
  cuts: "Answers that ended early, by either side.",
  refused: "Requests that the gateway refused, by status.",
} as const;
export type CounterName = keyof typeof COUNTERS;

const BUCKETS = [0.5, 1, 2, 5, 10, 25, 50, 100, 250, 1000];

interface Times {
  buckets: number[];
  count: number;
  sum: number;
}

export function createMetrics(): Metrics {
  const counters = new Map<CounterName, Map<string, number>>();
  const times = new Map<string, Times>();
  const gauges: { name: string; help: string; read: () => number }[] = [];
  return {
    count(name, labels, by = 1) {
      if (by === 0) return;
      const values = counters.get(name) ?? new Map<string, number>();
      counters.set(name, values);
      const key = labelText(labels);
      values.set(key, (values.get(key) ?? 0) + by);
    },
    added(labels, ms) {
      const key = labelText(labels);
      const one = times.get(key) ?? { buckets: BUCKETS.map(() => 0), count: 0, sum: 0 };
      times.set(key, one);
      one.count += 1;
      one.sum += ms;
      for (const [at, most] of BUCKETS.entries())
        if (ms <= most) one.buckets[at] = (one.buckets[at] ?? 0) + 1;
    },
    gauge: (name, help, read) => void gauges.push({ name, help, read }),
    total: (name) => [...(counters.get(name)?.values() ?? [])].reduce((sum, value) => sum + value, 0),
    text() {
      const lines: string[] = [];
      for (const [name, values] of counters) {
        lines.push(
          `# HELP sotto_gateway_${name}_total ${COUNTERS[name]}`,
          `# TYPE sotto_gateway_${name}_total counter`,
        );
        for (const [labels, value] of values)
          lines.push(`sotto_gateway_${name}_total${braced(labels)} ${value}`);
      }
      for (const { name, help, read } of gauges)
        lines.push(
          `# HELP sotto_gateway_${name} ${help}`,
          `# TYPE sotto_gateway_${name} gauge`,
          `sotto_gateway_${name} ${read()}`,
        );
      if (times.size > 0)
        lines.push(
          "# HELP sotto_gateway_added_milliseconds Time before a request went on.",
          "# TYPE sotto_gateway_added_milliseconds histogram",
        );
      for (const [labels, { buckets, count, sum }] of times) {
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
    },
  };
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/gu, "_")}"`)
    .join(",");
}

function braced(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}
