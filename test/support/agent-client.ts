// An agent's own history: it asks, is answered, calls tools, and keeps or drops what was injected.

import { listOf, type Wire, type WireBody, type WireMessage } from "./agent-wire.ts";
import type { Random } from "./seeded.ts";

export interface ClientOptions {
  /** Keeps injected messages in its history; drops them otherwise. */
  keeps?: boolean;
  /** Sends fresh objects each time, as a gateway sees them. */
  clones?: boolean;
  /** Texts that come again and again, besides unique ones. */
  dull?: boolean;
  /** Keeps the calls of one that goes on with another's history apart from those. */
  name?: string;
}

export interface Client {
  readonly wire: Wire;
  messages: WireMessage[];
  /** The request as the client would send it. */
  request(): WireBody;
  /** What was sent in its place. */
  sent(body: WireBody): void;
  /** The model answers, tools answer it or the user goes on. */
  goOn(): void;
  say(text?: string): void;
  answer(text?: string): void;
}

const DULL = ["Continue.", "Yes.", "Done.", "ok"];

export function createClient(wire: Wire, random: Random, options: ClientOptions = {}): Client {
  const { keeps = false, clones = random.chance(0.5), dull = true, name = "" } = options;
  let count = 0;
  const words = (who: string) =>
    dull && random.chance(0.3)
      ? random.pick(DULL)
      : `${who} ${name}${++count} ${random.below(1e9).toString(36)}`;

  const client: Client = {
    wire,
    messages: [wire.prompt(words("Please do"))],
    request() {
      const body = wire.body(client.messages);
      return clones ? structuredClone(body) : body;
    },
    sent(body) {
      if (!keeps) return;
      // The system prompt of a dialect that has it among its messages is written anew each time.
      const lead = listOf(wire, wire.body([])).length;
      client.messages = listOf(wire, body).slice(lead);
    },
    goOn() {
      const calls = random.chance(0.6) ? 1 + random.below(2) : 0;
      const ids = Array.from({ length: calls }, () => `call_${name}${++count}`);
      const text = calls === 0 || random.chance(0.4) ? words("I did") : undefined;
      client.messages.push(...wire.reply(text, ids));
      const answers = ids.map((id) => ({ id, text: words("Result") }));
      if (calls > 0) client.messages.push(...wire.results(answers, random.chance(0.7)));
      if (calls === 0 || random.chance(0.2)) client.say();
    },
    say(text = words("Please do")) {
      client.messages.push(random.chance(0.8) ? wire.prompt(text) : wire.prompt(text, words("And")));
    },
    answer(text = words("I did")) {
      client.messages.push(...wire.reply(text, []));
    },
  };
  return client;
}
