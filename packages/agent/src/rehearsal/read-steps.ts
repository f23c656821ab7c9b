// The steps of a script, as a scenario file writes them.

import { catalogue } from "sotto";
import { didYouMean } from "../../../sotto/src/platform/nearest-of-src.ts";
import { readActions, readAnswer } from "./read-actions.ts";
import type { Call, Expectation, Failing, Step, ToolCall } from "./scenario.ts";
import { listed, type Place, type Reader } from "./yaml-reader.ts";

const STEPS = ["user", "assistant", "answer"];

export function readStep(reader: Reader, place: Place): Step {
  const keys = reader.keys(place, `a step: ${listed(STEPS)}`, [...STEPS, "meanwhile"]);
  const { user, assistant, answer, meanwhile } = Object.fromEntries(keys);
  const { line } = place;
  const kinds = STEPS.filter((kind) => keys.has(kind));
  if (kinds.length !== 1 && keys.size > 0)
    reader.complain(line, `expected one of ${listed(STEPS)} in a step`);
  if (answer && meanwhile)
    reader.complain(meanwhile.line, 'expected "meanwhile" beside "user" or "assistant" only');
  const actions = readActions(reader, meanwhile);
  if (assistant) return callOf(reader, assistant, { line, meanwhile: actions });
  if (user) return { kind: "user", line, text: reader.text(user, "what the user types"), meanwhile: actions };
  return { kind: "answer", line, text: answer ? readAnswer(reader, answer) : "" };
}

/** Sub-agents have no user: they only answer. */
export function readCall(reader: Reader, place: Place): Call {
  const keys = reader.keys(place, 'a call: "assistant"', ["assistant", "meanwhile"]);
  const { assistant, meanwhile } = Object.fromEntries(keys);
  const { line } = place;
  if (!assistant && keys.size > 0) reader.complain(line, 'expected "assistant" in the call of a sub-agent');
  return callOf(reader, assistant, { line, meanwhile: readActions(reader, meanwhile) });
}

const CALL = ["expect", "say", "thinking", "tools", "usage", "fail"];

function callOf(reader: Reader, place: Place | undefined, outer: Pick<Call, "line" | "meanwhile">): Call {
  const bare: Call = { kind: "assistant", ...outer, expect: [], tools: [], usage: {} };
  if (place === undefined) return bare;
  const keys = reader.keys(place, `what the model does: ${listed(CALL)}`, CALL);
  const { expect, say, thinking, tools, usage, fail } = Object.fromEntries(keys);
  if (keys.size > 0 && !say && !thinking && !tools && !fail)
    reader.complain(place.line, 'expected "say", "tools", "thinking" or "fail"');
  return {
    ...bare,
    expect: expect ? reader.list(expect, "a list of expectations").map((one) => expected(reader, one)) : [],
    ...(say && { say: reader.text(say, "what the model says") }),
    ...(thinking && { thinking: reader.text(thinking, "what the model thinks") }),
    tools: tools ? reader.list(tools, "a list of tool calls").map((one) => toolCall(reader, one)) : [],
    usage: usage ? usageOf(reader, usage) : {},
    ...(fail && { fail: failing(reader, fail) }),
  };
}

function toolCall(reader: Reader, place: Place): ToolCall {
  const names = [...reader.names(place, "a tool and its input, as `Read: { file_path: a.ts }`")];
  const [first] = names;
  if (names.length !== 1 && first) reader.complain(place.line, "expected one tool in each item of the list");
  if (!first) return { name: "", input: {} };
  const [name, input] = first;
  const value = reader.data(input) ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return { name, input: value as ToolCall["input"] };
  reader.complain(input.line, `expected the input of ${name} as a mapping`);
  return { name, input: {} };
}

const EXPECTATIONS = ["told", "not_told", "reminder", "no_reminder"] as const;
const TYPES = catalogue.map(({ type }) => type);

function expected(reader: Reader, place: Place): Expectation {
  const keys = reader.keys(place, `an expectation: ${listed(EXPECTATIONS)}`, EXPECTATIONS);
  const kinds = EXPECTATIONS.filter((kind) => keys.has(kind));
  if (kinds.length !== 1 && keys.size > 0)
    reader.complain(place.line, `expected one of ${listed(EXPECTATIONS)} in each item of the list`);
  const [kind = "told"] = kinds;
  const { line } = place;
  const value = keys.get(kind);
  if (!value) return { line, kind, wanted: "", isPattern: false };
  if (kind === "told" || kind === "not_told") return { line, kind, ...textOrPattern(reader, value) };
  const wanted = reader.text(value, "the type of a reminder");
  if (wanted !== "" && !TYPES.includes(wanted))
    reader.complain(line, `no type of reminder is called "${wanted}"${didYouMean(wanted, TYPES)}`);
  return { line, kind, wanted, isPattern: false };
}

function textOrPattern(reader: Reader, place: Place): Pick<Expectation, "wanted" | "isPattern"> {
  const value = reader.data(place);
  if (typeof value !== "object" || value === null) {
    const wanted = reader.text(place, "a text, or `{ matches: a regular expression }`");
    return { wanted, isPattern: false };
  }
  const keys = reader.keys(place, "a text, or `{ matches: a regular expression }`", ["matches"]);
  const matches = keys.get("matches");
  const wanted = matches ? reader.text(matches, "a regular expression") : "";
  try {
    new RegExp(wanted, "su");
  } catch (error) {
    reader.complain(place.line, `expected a regular expression: ${(error as Error).message}`);
  }
  return { wanted, isPattern: true };
}

function usageOf(reader: Reader, place: Place): Call["usage"] {
  const keys = reader.keys(place, "tokens of the call", ["input", "output", "cache_read"]);
  const { input, output, cache_read: cacheRead } = Object.fromEntries(keys);
  return {
    ...(input && { input: reader.whole(input, "a number of tokens", 0) }),
    ...(output && { output: reader.whole(output, "a number of tokens", 0) }),
    ...(cacheRead && { cacheRead: reader.whole(cacheRead, "a number of tokens", 0) }),
  };
}

const FAILURE = 'a status from 400 to 599, or "cut"';

function failing(reader: Reader, place: Place): Failing {
  const value = reader.data(place);
  if (typeof value !== "object" || value === null) return { with: failure(reader, place), times: 1 };
  const keys = reader.keys(place, FAILURE, ["with", "times", "retry_after_ms"]);
  const { with: what, times, retry_after_ms: retryAfter } = Object.fromEntries(keys);
  if (!what) reader.complain(place.line, `expected "with": ${FAILURE}`);
  return {
    with: what ? failure(reader, what) : 500,
    times: times ? reader.whole(times, "how many times, 1 or more", 1) : 1,
    ...(retryAfter && { retryAfterMs: reader.whole(retryAfter, "a number of milliseconds", 0) }),
  };
}

function failure(reader: Reader, place: Place): Failing["with"] {
  const value = reader.data(place);
  if (value === "cut") return "cut";
  const status = reader.whole(place, FAILURE, 400);
  if (status > 599) reader.complain(place.line, `expected ${FAILURE}, got ${status}`);
  return status;
}
