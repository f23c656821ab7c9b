// A conversation that the provider keeps under one name: no request shows what became of the one before. What was told in
// one that failed is told in the next.

import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { gatewayHome, startGateway } from "../support/gateway-process.ts";
import { timesIn } from "../support/integration-stage.ts";

/** What becomes of a request; `answered` is the only one that the provider adds to its conversation. */
type Fate = "answered" | "429" | "500" | "reset" | "cut" | "left" | "killed" | keyof typeof NO_ANSWERS;

interface Received {
  text: string;
  fate: Fate;
}

const ANSWER = JSON.stringify({
  ...{ id: "resp_1", object: "response", status: "completed", model: "m" },
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] }],
});

const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const begun = event({ type: "response.created", ...{ response: { id: "resp_1", error: null } } });
const error = { code: "server_error", message: "The model failed." };

/** All come with a status of 200, and whole. */
const NO_ANSWERS = {
  "an error event": begun + event({ type: "error", ...error }),
  "only an error event": event({ type: "error", ...error }),
  "response.failed": begun + event({ type: "response.failed", ...{ response: { status: "failed", error } } }),
  "no last event": begun + event({ type: "response.output_text.delta", ...{ delta: "Ye" } }),
  "no event": "",
  "a failed response": JSON.stringify({ id: "resp_1", status: "failed", error, output: [] }),
  "a cancelled response": JSON.stringify({ id: "resp_1", status: "cancelled", error: null, output: [] }),
  "an error": JSON.stringify({ error }),
};

async function startProvider() {
  const requests: Received[] = [];
  const state: { fate: Fate; got?: () => void; closed?: () => void } = { fate: "answered" };
  const server = http.createServer(async (request, response) => {
    response.once("close", () => state.closed?.());
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { fate } = state;
    requests.push({ text, fate });
    response.setHeader("content-type", "application/json");
    if (fate === "answered") response.end(ANSWER);
    else if (fate in NO_ANSWERS) {
      const words = NO_ANSWERS[fate as keyof typeof NO_ANSWERS];
      if (!words.startsWith("{")) response.setHeader("content-type", "text/event-stream");
      response.end(words);
    } else if (/^\d+$/u.test(fate)) response.writeHead(Number(fate)).end("{}");
    else if (fate === "reset") response.socket?.destroy();
    else if (fate === "cut") response.write(ANSWER.slice(0, 20), () => response.socket?.destroy());
    state.got?.();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function conversation() {
  const { requests, state, url } = await startProvider();
  const place = await gatewayHome();
  await place.configure(url, "", `[gateway.upstreams.openai]\nurl = "${url}"\ndialect = "openai"\n`);
  let gateway = await startGateway([], place);
  /** Kills it. Another one goes on. */
  const replace = async () => {
    gateway.child.kill("SIGKILL");
    await gateway.ended;
    gateway = await startGateway([], place);
  };
  let name = "";
  /** Another conversation of the same client. */
  const begin = (next: string) => {
    name = next;
    requests.length = 0;
  };
  const post = (path: string, value: object, signal?: AbortSignal) =>
    fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-sotto-session": name, connection: "close" },
      body: JSON.stringify(value),
      ...(signal && { signal }),
    }).then((response) => response.text());
  const ask = async (words: string, fate: Fate = "answered") => {
    const leaving = new AbortController();
    const got = new Promise<void>((resolve) => {
      state.got = resolve;
    });
    state.fate = fate;
    const input = [{ role: "user", content: words }];
    const answered = post(
      "/openai/v1/responses",
      { model: "m", conversation: `conv_${name}`, tools: [{ type: "function", name: "bash" }], input },
      leaving.signal,
    ).catch(() => undefined);
    await got;
    if (fate === "left") {
      const closed = new Promise<void>((resolve) => {
        state.closed = resolve;
      });
      leaving.abort();
      // Then the gateway knows.
      await closed;
    }
    if (fate === "killed") await replace();
    await answered;
  };
  const tell = async () => {
    const event = { type: "prompt_queued", id: "n1", prompt: "Mind the gap." };
    await post(`/sotto/v1/sessions/gateway%2F${name}/events`, { events: [{ id: "n1", event }] });
  };
  return { requests, begin, ask, tell, replace };
}

const failing: Fate[][] = [
  ["429"],
  ["500"],
  ["reset"],
  ["cut"],
  ["left"],
  ["killed"],
  ["left", "500"],
  ["killed", "left"],
  ["cut", "killed"],
  ...Object.keys(NO_ANSWERS).map((fate) => [fate as Fate]),
  ["no last event", "500", "a failed response"],
];

test("AC-59 AC-38 what is told in requests that fail is told in the one after", async () => {
  const { requests, begin, ask, tell } = await conversation();
  for (const fates of failing) {
    begin(fates.join("-").replaceAll(" ", "-"));
    await ask("One.");
    await tell();
    for (const [at, fate] of fates.entries()) await ask(`Two, ${at}.`, fate);
    for (const words of ["Three.", "Four.", "Five."]) await ask(words);

    const told = requests
      .filter(({ fate }) => fate === "answered")
      .map(({ text }) => timesIn(text, "Mind the gap."));
    expect(told, fates.join()).toEqual([0, 1, 0, 0]);
    // Each that failed had it as well.
    expect(requests.map(({ text }) => timesIn(text, "Mind the gap.")).slice(1, 1 + fates.length)).toEqual(
      fates.map(() => 1),
    );
  }
});

test("AC-59 what was told in a request that was answered is not told again, however soon the gateway is killed", async () => {
  const { requests, begin, ask, tell, replace } = await conversation();
  begin("kept");
  await ask("One.");
  await tell();
  await ask("Two.");
  await replace();
  for (const words of ["Three.", "Four."]) await ask(words);
  expect(requests.map(({ text }) => timesIn(text, "Mind the gap."))).toEqual([0, 1, 0, 0]);
});
