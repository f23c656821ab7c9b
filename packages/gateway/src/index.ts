// The gateway, for programs that run it.

export { createGateway, type Gateway } from "./gateway.ts";
export type { LogLine } from "./log.ts";
export { type MetricsData, sumOfMetrics } from "./metrics.ts";
export type { Family, GatewayOptions, Limits, Upstream } from "./options.ts";
export type { ModelFacts, Usage } from "./usage.ts";
