// What Anthropic demands of cache breakpoints: at most four, the long-lived ones first.
import { isObject } from "./shape.ts";

type CachedRequest = { tools?: unknown; system?: unknown; messages?: unknown; cache_control?: unknown };
type Breakpoint = { path: string; ttl: string };

export function cacheViolations(request: CachedRequest): string[] {
  const breakpoints = [
    ...breakpointsIn(request.tools, "tools"),
    ...breakpointsIn(request.system, "system"),
    ...breakpointsIn(request.messages, "messages"),
    ...breakpointsIn({ cache_control: request.cache_control }, ""),
  ];
  const found: string[] = [];
  if (breakpoints.length > 4) {
    found.push(`A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints.length}.`);
  }
  const short = breakpoints.findIndex(({ ttl }) => ttl === "5m");
  const late = breakpoints.find(({ ttl }, index) => ttl === "1h" && short !== -1 && index > short);
  if (late) {
    found.push(
      `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
    );
  }
  return found;
}

function breakpointsIn(value: unknown, path: string): Breakpoint[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => breakpointsIn(item, `${path}.${index}`));
  if (!isObject(value)) return [];
  const inner = breakpointsIn(value.content, `${path}.content`);
  const { cache_control: control } = value;
  return isObject(control) ? [...inner, { path, ttl: String(control.ttl ?? "5m") }] : inner;
}
