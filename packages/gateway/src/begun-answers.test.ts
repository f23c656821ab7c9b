// Requests that end with the beginning of their answer, or with one that the model is to go on with.

import { expect, test } from "vitest";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

type Said = { role: string; content: unknown };

const user = (content: unknown): Said => ({ role: "user", content });
const assistant = (content: unknown): Said => ({ role: "assistant", content });
const A = user("A");
const B = user("B");
const C = user("C");
const D = user("D");
const call = assistant([{ type: "tool_use", id: "t1", name: "x", input: {} }]);
const result = user([{ type: "tool_result", tool_use_id: "t1", content: "r" }]);
const begun = assistant("{");
const whole = assistant("{}");

/** Each is answered with `}`. */
const TALKS: Readonly<Record<string, readonly Said[][]>> = {
  "comes back whole": [
    [A],
    [A, assistant("}"), B, begun],
    [A, assistant("}"), B, whole, C],
    [A, assistant("}"), B, whole, C, assistant("}"), D],
  ],
  "comes back in two messages": [
    [A],
    [A, assistant("}"), B, begun],
    [A, assistant("}"), B, begun, assistant("}"), C],
    [A, assistant("}"), B, begun, assistant("}"), C, assistant("}"), D],
  ],
  "comes back as other words": [
    [A],
    [A, assistant("}"), B, begun],
    [A, assistant("}"), B, assistant("{ edited }"), C],
    [A, assistant("}"), B, assistant("{ edited }"), C, assistant("}"), D],
  ],
  "is there in every request": [
    [A, begun],
    [A, whole, B, begun],
    [A, whole, B, whole, C, begun],
    [A, whole, B, whole, C, whole, D, begun],
  ],
  "stands behind a tool": [
    [A],
    [A, call, result, begun],
    [A, call, result, whole, C],
    [A, call, result, whole, C, assistant("}"), D],
  ],
  "was too long and goes on": [
    [A],
    [A, assistant("}")],
    [A, assistant("}}"), C],
    [A, assistant("}}"), C, assistant("}"), D],
  ],
  "goes on twice": [
    [A],
    [A, assistant("}")],
    [A, assistant("}}")],
    [A, assistant("}}}"), C],
    [A, assistant("}}}"), C, assistant("}"), D],
  ],
  "goes on, later": [
    [A],
    [A, assistant("}"), B],
    [A, assistant("}"), B, assistant("}")],
    [A, assistant("}"), B, assistant("}}"), C],
    [A, assistant("}"), B, assistant("}}"), C, assistant("}"), D],
  ],
  "was begun, and goes on": [
    [A],
    [A, assistant("}"), B, begun],
    [A, assistant("}"), B, whole],
    [A, assistant("}"), B, assistant("{}}"), C],
  ],
};

const CASES = Object.entries(TALKS).flatMap(([name, talk]) =>
  ["named", "unnamed"].flatMap((kind) => talk.slice(1).map((_, at) => ({ name, kind, talk, told: at + 1 }))),
);

test.each(CASES)(
  "AC-59 $kind: an answer that $name; what happens before request $told is told once and stays",
  async ({ kind, talk, told }) => {
    const sent: Said[][] = [];
    const { post, tell } = await startToldGateway(
      async (request, response) => {
        let text = "";
        for await (const chunk of request.setEncoding("utf8")) text += chunk;
        sent.push((JSON.parse(text) as { messages: Said[] }).messages);
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({ type: "message", role: "assistant", content: [{ type: "text", text: "}" }] }),
        );
      },
      kind === "named" ? { "x-sotto-session": "s" } : {},
    );
    for (const [at, messages] of talk.entries()) {
      if (at === told) await tell("it");
      await (await post("/anthropic/v1/messages", { model: "m", max_tokens: 9, messages })).text();
    }
    const places = sent.map((messages) =>
      messages.flatMap(({ content }, at) =>
        Array.from(JSON.stringify(content).matchAll(/Mind it\./gu), () => `${at} ${JSON.stringify(content)}`),
      ),
    );
    expect(places.slice(0, told).flat()).toEqual([]);
    expect(places[told]).toHaveLength(1);
    for (const later of places.slice(told)) expect(later).toEqual(places[told]);
  },
);
