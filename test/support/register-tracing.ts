// Registers OpenTelemetry's SDK in a process, as an operator does: NODE_OPTIONS="--import …/register-tracing.ts". Ended
// spans are written to the file SPANS, one JSON object a line.

import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import process from "node:process";
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

export interface WrittenSpan {
  scope: string;
  name: string;
  kind: string;
  trace: string;
  id: string;
  parent: string | null;
  status: number;
  attributes: Record<string, unknown>;
}

const running = new AsyncLocalStorage<Context>();

const manager: ContextManager = {
  active: () => running.getStore() ?? ROOT_CONTEXT,
  with: (inside, work, self, ...given) => running.run(inside, () => work.call(self as never, ...given)),
  bind: (_inside, target) => target,
  enable: () => manager,
  disable: () => manager,
};

const write = (span: ReadableSpan) => {
  const { traceId, spanId } = span.spanContext();
  const written: WrittenSpan = {
    scope: span.instrumentationScope.name,
    name: span.name,
    kind: SpanKind[span.kind] ?? "",
    trace: traceId,
    id: spanId,
    parent: span.parentSpanContext?.spanId ?? null,
    status: span.status.code,
    attributes: span.attributes,
  };
  appendFileSync(process.env.SPANS ?? "", `${JSON.stringify(written)}\n`);
};

context.setGlobalContextManager(manager);
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new TracerProvider({
    spanProcessors: [
      new SimpleSpanProcessor({
        exporter: {
          export(spans, done) {
            spans.forEach(write);
            done({ code: 0 });
          },
          shutdown: async () => {},
        },
      }),
    ],
  }),
);
