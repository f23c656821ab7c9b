// The gateway's own paths: whether it is well, what it counted, and sessions for those who have something to tell.

import type { IncomingMessage, ServerResponse } from "node:http";
import { SottoError } from "sotto";
import type { Store } from "sotto/extend";
import { explain } from "sotto/inspect";
import { isOutsideKey, parseHostEvent, recordOnce } from "sotto/internal";
import { fieldsOf } from "./body-parts.ts";
import { ownName } from "./conversations.ts";
import { type MetricsData, metricsText } from "./metrics.ts";
import { answerJson, refuse } from "./refuse.ts";
import { readRequestBody } from "./request-body.ts";
import type { OpenSession, Sessions } from "./sessions.ts";

export interface OwnPaths {
  store: Store;
  sessions: Sessions;
  metrics(): Promise<MetricsData>;
  isStopping(): boolean;
  /** Whether its clients are this machine's user. */
  isUsers(): boolean;
}

export function isOwnPath(url: string): boolean {
  return /^\/(?:healthz|readyz|metrics|sotto\/v1)(?:[/?]|$)/u.test(url);
}

/** Asked by programs, again and again. */
export function isWatchPath(url: string): boolean {
  return isHealthPath(url) || /^\/metrics(?:\?|$)/u.test(url);
}

/** Needs no token: it says nothing about anyone. */
export function isHealthPath(url: string): boolean {
  return /^\/(?:healthz|readyz)(?:\?|$)/u.test(url);
}

const EVENTS_BYTES = 4 * 2 ** 20;

export async function answerOwn(
  parts: OwnPaths,
  request: IncomingMessage,
  response: ServerResponse,
  client: string | undefined,
): Promise<void> {
  const path = (request.url ?? "").replace(/\?.*$/su, "");
  const method = request.method ?? "";
  if (path === "/healthz") return answerJson(response, 200, { ok: true });
  if (path === "/readyz") return ready(parts, response);
  if (path === "/metrics") return counted(parts, response);
  const [, name, what] = /^\/sotto\/v1\/sessions\/([^/]+)\/(events|explain)$/u.exec(path) ?? [];
  const given = name === undefined ? undefined : decoded(name);
  if (given === undefined) return refuse(response, 404, "there is no such path");
  const space = client === undefined ? "gateway/" : `gateway/@${client}/`;
  if (!given.startsWith(space))
    return refuse(response, 404, `no such session; the names of yours begin with ${space}`);
  // As its client named it: names of sessions have no other characters.
  const own = asHeader(given.slice(space.length));
  // The name of a sub-agent's session has a slash, and may be longer than others.
  const isWhole = /^[\x21-\x7e]+$/u.test(own) && !own.startsWith("@") && own.includes("/");
  const session = isWhole ? given : space + ownName(own);
  const takes = what === "events" ? "POST" : "GET";
  if (method !== takes) return refuse(response, 405, `${what} takes ${takes}`);
  try {
    if (what === "explain") await explained(parts, response, session);
    else await takeEvents(parts, { request, response, session });
  } catch (error) {
    if (!isOfStore(error)) throw error;
    refuse(response, 503, storeProblem(error));
  }
}

/** As Node reads a header in UTF-8: a byte for each character. */
function asHeader(name: string): string {
  return /[^\0-\xff]/u.test(name) ? Buffer.from(name).toString("latin1") : name;
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

async function ready({ store, isStopping }: OwnPaths, response: ServerResponse): Promise<void> {
  if (isStopping()) return answerJson(response, 503, { ok: false, problem: "the gateway is stopping" });
  try {
    // A write: a store that can only be read remembers no turn.
    await store.append("~gateway/ready", { entries: [], settle: ["ready"] });
    answerJson(response, 200, { ok: true });
  } catch (error) {
    answerJson(response, 503, { ok: false, problem: storeProblem(error) });
  }
}

async function counted({ metrics }: OwnPaths, response: ServerResponse): Promise<void> {
  try {
    const text = metricsText(await metrics());
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
  } catch (error) {
    // Counts of this process alone would look as if all had started anew.
    refuse(response, 503, error instanceof Error ? error.message : String(error));
  }
}

function isOfStore(error: unknown): boolean {
  return error instanceof SottoError && error.code.startsWith("store_");
}

const STORE_PROBLEMS: Readonly<Record<string, string>> = {
  store_read_only: "the store is read-only",
  store_full: "the store is full",
  store_locked: "the store is locked by another process",
  store_corrupt: "the store is damaged",
  store_newer: "the store is of a newer version",
};

/** Health checks need no token, and clients may be other people: not where the store is. */
function storeProblem(error: unknown): string {
  const code = error instanceof SottoError ? error.code : "";
  return STORE_PROBLEMS[code] ?? "the store cannot be used now";
}

async function explained({ store }: OwnPaths, response: ServerResponse, session: string): Promise<void> {
  const { entries } = await store.read(session, 0);
  if (entries.length === 0) return refuse(response, 404, "no such session");
  answerJson(response, 200, { session, turns: explain(entries) });
}

/** `{"events": [{"id": "build-7", "event": {"type": …}}, …]}`: each is recorded once, however often it is sent. */
async function takeEvents(
  { store, sessions, isUsers }: OwnPaths,
  { request, response, session }: { request: IncomingMessage; response: ServerResponse; session: string },
): Promise<void> {
  if (!String(request.headers["content-type"]).startsWith("application/json"))
    return refuse(response, 415, "expected content-type application/json");
  const body = await readRequestBody(request, EVENTS_BYTES);
  if (body === undefined) return refuse(response, 413, `more than ${EVENTS_BYTES} bytes`);
  const given = parsedEvents(body.plain?.slice(0));
  if (typeof given === "string") return refuse(response, 400, given);
  const owners = isUsers()
    ? undefined
    : given.map(({ event }) => ownersKey(event)).find((key) => key !== undefined);
  if (owners !== undefined)
    return refuse(
      response,
      400,
      `config_changed.config.${owners}: only the config of the gateway's owner sets it`,
    );
  let open: OpenSession | undefined;
  try {
    if ((await store.read(session, 0, 1)).last === 0) return refuse(response, 404, "no such session");
    open = await sessions.toRecord(session);
    const { session: opened } = open;
    const results: { id: string; recorded: boolean }[] = [];
    for (const { id, event } of given)
      results.push({ id, recorded: await recordOnce(opened, event as never, `gateway event ${id}`) });
    answerJson(response, 200, { events: results });
  } catch (error) {
    if (isOfStore(error)) throw error;
    refuse(response, 400, error instanceof Error ? error.message : String(error));
  } finally {
    open?.done();
  }
}

/** What a client may not set: a program would run as the gateway's user, and a path or a text is the owner's choice. */
function ownersKey(event: unknown): string | undefined {
  const { type, config } = fieldsOf(event);
  if (type !== "config_changed") return undefined;
  const keys = Object.keys(fieldsOf(config));
  const ofMemory = Object.keys(fieldsOf(fieldsOf(config).memory)).map((key) => `memory.${key}`);
  return [...keys, ...ofMemory].find(isOutsideKey);
}

/** All are checked before any is recorded. */
function parsedEvents(text: string | undefined): { id: string; event: unknown }[] | string {
  try {
    const { events } = fieldsOf(JSON.parse(text ?? ""));
    if (!Array.isArray(events)) return 'expected {"events": [{"id": "…", "event": {"type": "…"}}]}';
    return events.map((one, at) => {
      const { id, event } = fieldsOf(one);
      if (typeof id !== "string" || id === "" || id.length > 200)
        throw new Error(`events.${at}.id: expected a text of up to 200 characters`);
      return { id, event: parseHostEvent(event as never) };
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
