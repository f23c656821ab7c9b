// Reads a scenario file. Errors name the file, the line and what was expected.

import { catalogue } from "sotto/inspect";
import { didYouMean, parseHostEvent } from "sotto/internal";
import { readRegular } from "../regular-file.ts";
import { type ProgramError, usageError } from "../terminal/failure.ts";
import { fileProblem } from "../terminal/file-problem.ts";
import {
  type Action,
  type Call,
  type Expectation,
  type Failing,
  inside,
  onlyFails,
  type Scenario,
  type ScriptedRun,
  type ScriptedToolCall,
  type Step,
} from "./scenario.ts";
import { createReader, listed, type Reader, type YamlPlace } from "./yaml-reader.ts";

const MOST_BYTES = 4 * 1024 * 1024;

export async function loadScenario(path: string): Promise<Scenario> {
  let text: string;
  try {
    text = await readRegular(path, MOST_BYTES);
  } catch (error) {
    throw broken([`cannot read the scenario: ${fileProblem(path, error)}`]);
  }
  return parseScenario(text, path);
}

/** `file`: the name used in errors. */
export function parseScenario(text: string, file: string): Scenario {
  const reader = createReader(text, file);
  // In a document that is not YAML, other errors would only follow from that.
  if (reader.problems().length > 0) throw broken(reader.problems());
  const scenario = readScenario(reader, file);
  if (reader.problems().length > 0) throw broken(reader.problems());
  return scenario;
}

const KEYS = ["name", "about", "project", "window", "script", "agents", "summary"];

function readScenario(reader: Reader, file: string): Scenario {
  const places = reader.keys(reader.root, "the keys of a scenario", KEYS);
  const { name, about, project, window, script, agents, summary } = Object.fromEntries(places);
  if (name === undefined) reader.complain(reader.root.line, 'expected "name": a short title');
  if (script === undefined) reader.complain(reader.root.line, 'expected "script": a list of steps');
  return {
    file,
    name: name ? reader.text(name, "a short title") : "",
    ...(about && { about: reader.text(about, "a one-line description") }),
    project: project ? readProject(reader, project) : [],
    ...(window && { window: reader.whole(window, "a number of tokens above 0", 1) }),
    script: script ? reader.list(script, "a list of steps").map((place) => readStep(reader, place)) : [],
    agents: agents ? readAgents(reader, agents) : new Map(),
    summary: summary ? readSummary(reader, summary) : [],
  };
}

function readProject(reader: Reader, place: YamlPlace): Scenario["project"] {
  return [...reader.names(place, "files by path")].map(([path, content]) => {
    try {
      inside("/project", path);
    } catch (error) {
      reader.complain(content.line, (error as Error).message);
    }
    return { path, content: reader.text(content, "the content of a file") };
  });
}

function readAgents(reader: Reader, place: YamlPlace): Scenario["agents"] {
  const types = reader.names(place, "lists of calls by the type of sub-agent");
  return new Map(
    [...types].map(([type, calls]) => {
      const list = reader.list(calls, "a list of calls").map((call) => readCall(reader, call));
      if (list.length === 0) reader.complain(calls.line, "expected at least one call");
      const last = list.at(-1);
      if (last && !endsRun(last))
        reader.complain(last.line, "expected an answer without tools: it ends the sub-agent");
      return [type, runsOf(list)];
    }),
  );
}

/** A sub-agent ends when it answers without calling tools; the next call belongs to another one. */
function runsOf(calls: readonly Call[]): ScriptedRun[] {
  const runs: Call[][] = [];
  let run: Call[] = [];
  for (const call of calls) {
    run.push(call);
    if (!endsRun(call)) continue;
    runs.push(run);
    run = [];
  }
  return runs;
}

function endsRun(call: Call): boolean {
  return call.tools.length === 0 && !onlyFails(call);
}

function readSummary(reader: Reader, place: YamlPlace): string[] {
  const value = reader.data(place);
  const texts = Array.isArray(value) ? reader.list(place, "a list of texts") : [place];
  return texts.map((text) => reader.text(text, "a text, or a list of texts"));
}

function broken(problems: readonly string[]): ProgramError {
  return usageError(problems.join("\n"), "broken_scenario");
}

// The steps of a script.

const STEPS = ["user", "assistant", "answer"];

export function readStep(reader: Reader, place: YamlPlace): Step {
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

/** A sub-agent's script has only model calls. */
export function readCall(reader: Reader, place: YamlPlace): Call {
  const keys = reader.keys(place, 'a call: "assistant"', ["assistant", "meanwhile"]);
  const { assistant, meanwhile } = Object.fromEntries(keys);
  const { line } = place;
  if (!assistant && keys.size > 0) reader.complain(line, 'expected "assistant" in the call of a sub-agent');
  return callOf(reader, assistant, { line, meanwhile: readActions(reader, meanwhile) });
}

const CALL = ["expect", "say", "thinking", "tools", "usage", "fail"];

function callOf(reader: Reader, place: YamlPlace | undefined, outer: Pick<Call, "line" | "meanwhile">): Call {
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

function toolCall(reader: Reader, place: YamlPlace): ScriptedToolCall {
  const names = [...reader.names(place, "a tool and its input, such as `Read: { file_path: a.ts }`")];
  const [first] = names;
  if (names.length !== 1 && first) reader.complain(place.line, "expected one tool in each item of the list");
  if (!first) return { name: "", input: {} };
  const [name, input] = first;
  const value = reader.data(input) ?? {};
  if (typeof value === "object" && !Array.isArray(value))
    return { name, input: value as ScriptedToolCall["input"] };
  reader.complain(input.line, `expected the input of ${name} as a mapping`);
  return { name, input: {} };
}

const EXPECTATIONS = ["told", "not_told", "reminder", "no_reminder"] as const;
const TYPES = catalogue.map(({ type }) => type);

function expected(reader: Reader, place: YamlPlace): Expectation {
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
    reader.complain(line, `unknown reminder type "${wanted}"${didYouMean(wanted, TYPES)}`);
  return { line, kind, wanted, isPattern: false };
}

function textOrPattern(reader: Reader, place: YamlPlace): Pick<Expectation, "wanted" | "isPattern"> {
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

function usageOf(reader: Reader, place: YamlPlace): Call["usage"] {
  const keys = reader.keys(place, "tokens of the call", ["input", "output", "cache_read"]);
  const { input, output, cache_read: cacheRead } = Object.fromEntries(keys);
  return {
    ...(input && { input: reader.whole(input, "a number of tokens", 0) }),
    ...(output && { output: reader.whole(output, "a number of tokens", 0) }),
    ...(cacheRead && { cacheRead: reader.whole(cacheRead, "a number of tokens", 0) }),
  };
}

const FAILURE = 'a status from 400 to 599, or "cut"';

function failing(reader: Reader, place: YamlPlace): Failing {
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

function failure(reader: Reader, place: YamlPlace): Failing["with"] {
  const value = reader.data(place);
  if (value === "cut") return "cut";
  const status = reader.whole(place, FAILURE, 400);
  if (status > 599) reader.complain(place.line, `expected ${FAILURE}, got ${status}`);
  return status;
}

// The actions under `meanwhile`.

type Reading = (reader: Reader, place: YamlPlace) => Action | undefined;

const ACTIONS: Readonly<Record<Action["does"], Reading>> = {
  write: (reader, place) => ({ does: "write", line: place.line, ...fileContent(reader, place) }),
  append: (reader, place) => ({ does: "append", line: place.line, ...fileContent(reader, place) }),
  delete: (reader, place) => {
    const path = reader.text(place, "a path in the project");
    checkPath(reader, path, place.line);
    return { does: "delete", line: place.line, path };
  },
  rename: (reader, place) => {
    const { from, to } = texts(reader, place, ["from", "to"]);
    checkPath(reader, from, place.line);
    checkPath(reader, to, place.line);
    return { does: "rename", line: place.line, from, to };
  },
  run: (reader, place) => ({ does: "run", line: place.line, command: reader.text(place, "a command") }),
  wait_ms: (reader, place) => {
    const ms = reader.whole(place, "a number of milliseconds", 0);
    return { does: "wait_ms", line: place.line, ms };
  },
  wait_for_tasks: (reader, place) => {
    onlyTrue(reader, place);
    return { does: "wait_for_tasks", line: place.line };
  },
  queue: (reader, place) => {
    return { does: "queue", line: place.line, text: reader.text(place, "the prompt the user queues") };
  },
  answer: (reader, place) => ({ does: "answer", line: place.line, text: readAnswer(reader, place) }),
  event: (reader, place) => {
    try {
      return { does: "event", line: place.line, event: parseHostEvent(reader.data(place)) };
    } catch (error) {
      reader.complain(place.line, (error as Error).message);
      return undefined;
    }
  },
  interrupt: (reader, place) => {
    onlyTrue(reader, place);
    return { does: "interrupt", line: place.line };
  },
};

const NAMES = Object.keys(ACTIONS) as Action["does"][];

export function readActions(reader: Reader, place: YamlPlace | undefined): Action[] {
  if (place === undefined) return [];
  return reader.list(place, "a list of actions").flatMap((item) => {
    const keys = reader.keys(item, `an action: ${listed(NAMES)}`, NAMES);
    const found = NAMES.filter((name) => keys.has(name));
    if (found.length > 1) reader.complain(item.line, "expected one action in each item of the list");
    return found.slice(0, 1).flatMap((name) => ACTIONS[name](reader, keys.get(name) as YamlPlace) ?? []);
  });
}

/** Accepts a bare `true` or `1`, too. */
export function readAnswer(reader: Reader, place: YamlPlace): string {
  const value = reader.data(place);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  return reader.text(place, 'what the user answers: "yes", "no", "always" or a text');
}

function fileContent(reader: Reader, place: YamlPlace): { path: string; content: string } {
  const found = texts(reader, place, ["path", "content"]);
  checkPath(reader, found.path, place.line);
  return found;
}

function texts<Key extends string>(
  reader: Reader,
  place: YamlPlace,
  wanted: readonly Key[],
): Record<Key, string> {
  const keys = reader.keys(place, `\`{ ${wanted.join(", ")} }\``, wanted);
  const missing = wanted.filter((key) => !keys.has(key));
  if (missing.length > 0 && keys.size > 0)
    reader.complain(place.line, `expected "${missing.join('" and "')}"`);
  const found = wanted.map((key) => [key, keys.get(key)] as const);
  return Object.fromEntries(
    found.map(([key, text]) => [key, text ? reader.text(text, `a text for "${key}"`) : ""]),
  ) as Record<Key, string>;
}

/** An empty path was reported already. */
function checkPath(reader: Reader, path: string, line: number): void {
  try {
    if (path !== "") inside("/project", path.replaceAll("{{cwd}}", "/project"));
  } catch (error) {
    reader.complain(line, (error as Error).message);
  }
}

function onlyTrue(reader: Reader, place: YamlPlace): void {
  if (reader.data(place) !== true) reader.complain(place.line, "expected true");
}
