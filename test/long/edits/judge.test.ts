// The judge sees what is wrong: requests that were tampered with by hand.

import { describe, expect, test } from "vitest";
import { userMessage } from "./edits.ts";
import { createJudge, type Fault, type Judge } from "./judge.ts";
import type { Message, Talk } from "./talk.ts";
import { type WireBody, type WireMessage, wires, writeTalk } from "./wires.ts";

const wire = wires.anthropic;
const reminder = (text: string): WireMessage => ({ role: "user", content: [{ type: "text", text }] });
const said = reminder("<system-reminder>\nMARK1X\n</system-reminder>");

/** A prompt, what was said behind it, an answer with a call, and the next request as `change` makes it. */
function judged(change: (list: WireMessage[]) => WireMessage[]): Fault[] {
  const judge = createJudge();
  const talk = makeTalk();
  judge.expect("MARK1X");
  look(judge, { ...talk, messages: talk.messages.slice(0, 1) }, ([prompt]) => [prompt as WireMessage, said]);
  judge.answered(talk.messages.slice(1, 3).flatMap(({ pieces }) => pieces));
  look(judge, talk, change);
  return judge.findings.map(({ fault }) => fault);
}

function look(judge: Judge, talk: Talk, change: (list: WireMessage[]) => WireMessage[]): void {
  const written = writeTalk(wire, talk);
  const list = structuredClone(written.body.messages) as WireMessage[];
  const sent: WireBody = { ...written.body, messages: change(list) };
  judge.look({ wire: "anthropic", written, sent, field: "messages" });
}

function makeTalk(): Talk {
  let keys = 0;
  const newKey = () => `k${++keys}`;
  const call: Message = {
    role: "assistant",
    id: newKey(),
    pieces: [{ key: newKey(), is: "call", id: "c1", name: "look", input: {} }],
  };
  const result: Message = {
    role: "tool",
    id: newKey(),
    pieces: [{ key: newKey(), is: "result", id: "c1", name: "look", output: "done" }],
  };
  const messages = [userMessage(["Hello."], newKey), call, result, userMessage(["And now?"], newKey)];
  return { system: "You write code.", messages };
}

const insert = (list: WireMessage[], at: number, ...more: WireMessage[]) => list.toSpliced(at, 0, ...more);

describe("the judge", () => {
  test("has nothing against a reminder that stays where it was", () => {
    expect(judged((list) => insert(list, 1, said))).toEqual([]);
  });

  test.each<[string, Fault[], (list: WireMessage[]) => WireMessage[]]>([
    ["left out", ["prefix", "missing"], (list) => list],
    ["said twice", ["doubled"], (list) => [...insert(list, 1, said), said]],
    ["said at the end instead", ["prefix", "moved"], (list) => [...list, said]],
    ["put between a call and its result", ["invalid", "prefix", "moved"], (list) => insert(list, 2, said)],
    ["said in other words", ["prefix", "changed"], (list) => insert(list, 1, reminder("MARK1X, once more"))],
    [
      "as it was, and the client's own words are not",
      ["bytes"],
      (list) => insert(list.with(3, reminder("And then?")), 1, said),
    ],
  ])("sees a reminder that is %s", (_, faults, change) => {
    expect(judged(change)).toEqual(faults);
  });

  test("takes a pasted reminder for the user's own words", () => {
    const judge = createJudge();
    const talk = makeTalk();
    talk.messages.push(userMessage(["<system-reminder>\nMARK1X\n</system-reminder>"], () => "pasted"));
    judge.expect("MARK1X");
    look(judge, talk, (list) => list);
    expect(judge.findings.map(({ fault }) => fault)).toEqual(["missing"]);
  });

  test("lets go what a window has taken along, and sees when it comes back", () => {
    const judge = createJudge();
    const talk = makeTalk();
    const [first, call, result, next] = talk.messages as [Message, Message, Message, Message];
    judge.expect("MARK1X");
    look(judge, { ...talk, messages: [first] }, ([prompt]) => [prompt as WireMessage, said]);
    judge.answered([...call.pieces, ...result.pieces]);
    judge.dropped("window");
    look(judge, { ...talk, messages: [next] }, (list) => list);
    expect(judge.findings).toEqual([]);
    look(judge, { ...talk, messages: [next] }, (list) => [...list, said]);
    expect(judge.findings.map(({ fault }) => fault)).toContain("back");
  });
});
