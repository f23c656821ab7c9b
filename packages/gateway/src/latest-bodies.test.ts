import type { IncomingMessage } from "node:http";
import { Bytes } from "sotto/internal";
import { expect, test } from "vitest";
import { createLatestBodies } from "./latest-bodies.ts";

const bodyOf = (text: string) => new Bytes([new TextEncoder().encode(text)]);

function requestOf(headers: Record<string, string>, { url = "/v1/messages", socket = {} } = {}) {
  return { headers, url, socket } as unknown as IncomingMessage;
}

test("are those of the same name, client and path, the latest first, without what they replace", () => {
  const latest = createLatestBodies();
  const named = requestOf({ "x-sotto-session": "a" });
  const [first, second, third] = [bodyOf("one"), bodyOf("two"), bodyOf("three")];
  for (const body of [first, second, third]) latest.keep(named, undefined, body);
  expect(latest.of(named, undefined)).toEqual([third, second, first]);
  const more = new Bytes([...second.parts, Buffer.from(" and more")]);
  latest.keep(requestOf({ "x-sotto-session": "a" }), undefined, more);
  expect(latest.of(named, undefined)).toEqual([more, third, first]);
  const others = [
    latest.of(requestOf({ "x-sotto-session": "b" }), undefined),
    latest.of(requestOf({ "x-sotto-session": "a" }, { url: "/v1/messages/count_tokens" }), undefined),
    latest.of(named, "ci"),
    latest.of(requestOf({}), undefined),
  ];
  expect(others).toEqual([[], [], [], []]);
});

test("without a name they are those of the connection", () => {
  const latest = createLatestBodies();
  const socket = {};
  const body = bodyOf("one");
  latest.keep(requestOf({}, { socket }), undefined, body);
  expect(latest.of(requestOf({ accept: "*/*" }, { socket }), undefined)).toEqual([body]);
  expect(latest.of(requestOf({}), undefined)).toEqual([]);
});
