// Conversations through a server: they grow by one exchange a request, and through the gateway have reminders in ten places.

import http from "node:http";
import process from "node:process";
import { codeTalkOn, type Message, requestOf } from "./conversation.ts";
import type { Server } from "./gateway-servers.ts";

const STEPS = 11;

/** The bodies of a conversation: on the way to its length, and around it. */
export interface Bodies {
  before: Buffer[];
  measured: Buffer[];
}

/** `bytes`: of the body in the middle of the measured ones. */
export function bodiesOf(bytes: number, calls: number, index: number): Bodies {
  // No two begin with the same words.
  const history: Message[] = [{ role: "user", content: `Task ${index}.` }];
  const body = () => Buffer.from(JSON.stringify(requestOf(history)));
  codeTalkOn(history);
  const exchange = JSON.stringify(history.slice(-2)).length;
  for (let length = exchange; length < bytes - (calls / 2) * exchange; length += exchange)
    codeTalkOn(history);
  const before = Array.from({ length: STEPS }, (_, at) => {
    const upTo = 2 * Math.floor((history.length * (at + 1)) / STEPS / 2) - 1;
    return Buffer.from(JSON.stringify(requestOf(history.slice(0, Math.max(1, upTo)))));
  });
  const measured = Array.from({ length: calls }, () => {
    codeTalkOn(history);
    return body();
  });
  return { before, measured };
}

export interface Talk {
  /** Sends the next of the measured bodies. Returns the milliseconds from the request's start to the answer's end. */
  next(at?: Server): Promise<number>;
}

let talks = 0;
const agent = new http.Agent({ keepAlive: true });

/** A new conversation that has come to its length. Every answer is checked. */
export async function talkThrough(server: Server, { before, measured }: Bodies): Promise<Talk> {
  const name = `bench-${++talks}`;
  let least = 0;
  const ask = async (body: Buffer, at: Server = server) => {
    const from = performance.now();
    const got = JSON.parse(await post(`${at.url}/v1/messages`, headersOf(at, name), body)) as {
      length: number;
    };
    const ms = performance.now() - from;
    // What was added once stays.
    const added = got.length - body.length;
    if (at.isGateway ? added < least : added !== 0)
      throw new Error(`it got ${got.length} bytes for ${body.length}, at least ${least} more were expected`);
    least = added;
    return ms;
  };
  for (const [index, body] of before.entries()) {
    // What is to be said is known from the second request on.
    if (server.isGateway && index > 0) await tell(server.url, name, index);
    await ask(body);
    if (server.isGateway && index > 0 && least < 40 * index) throw new Error(`${least} bytes were added`);
  }
  const rest = measured.values();
  return {
    async next(at) {
      const { value, done } = rest.next();
      if (done) throw new Error("the conversation is over");
      return ask(value, at);
    },
  };
}

function headersOf(server: Server, name: string): Record<string, string> {
  return { "content-type": "application/json", "x-sotto-session": name, ...server.headers };
}

async function tell(url: string, name: string, index: number): Promise<void> {
  const event = { type: "prompt_queued", id: `q${index}`, prompt: `Keep the old reader for now: ${index}.` };
  const body = Buffer.from(JSON.stringify({ events: [{ id: `q${index}`, event }] }));
  const session = encodeURIComponent(`gateway/${name}`);
  await post(`${url}/sotto/v1/sessions/${session}/events`, { "content-type": "application/json" }, body);
}

function post(url: string, headers: Record<string, string>, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, "content-length": body.length };
    const call = http.request(url, { method: "POST", agent, headers: all }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.once("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    call.once("error", reject);
    call.end(body);
  });
}

/** How long each event of a streamed answer took from the upstream to here, in milliseconds. */
export function eventDelays(server: Server, events: number): Promise<number[]> {
  const body = { ...requestOf([{ role: "user", content: `Stream ${++talks}.` }]), stream: true };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { ...headersOf(server, `stream-${talks}`), "content-length": bytes.length };
  return new Promise((resolve, reject) => {
    const call = http.request(`${server.url}/v1/messages`, { method: "POST", agent, headers }, (response) => {
      const delays: number[] = [];
      let rest = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const now = process.hrtime.bigint();
        rest += chunk;
        let read = 0;
        for (const found of rest.matchAll(/sent at (\d+) ns/gu)) {
          delays.push(Number(now - BigInt(found[1] ?? 0)) / 1e6);
          read = found.index + found[0].length;
        }
        rest = rest.slice(read);
      });
      response.once("end", () =>
        delays.length === events ? resolve(delays) : reject(new Error(`${delays.length} events came`)),
      );
    });
    call.once("error", reject);
    call.end(bytes);
  });
}
