// Reads a scenario file; what is wrong with it is said with file, line and what was expected.

import { type CliError, wrongUse } from "../terminal/failure.ts";
import { readRegular } from "../../../sotto/src/platform/regular-file.ts";
import { inside } from "./inside.ts";
import { readCall, readStep } from "./read-steps.ts";
import { type Call, onlyFails, type Run, type Scenario } from "./scenario.ts";
import { createReader, type Place, type Reader } from "./yaml-reader.ts";

const MOST_BYTES = 4 * 1024 * 1024;

export async function loadScenario(path: string): Promise<Scenario> {
  let text: string;
  try {
    text = await readRegular(path, MOST_BYTES);
  } catch (error) {
    throw broken([`${path}: cannot be read: ${(error as Error).message}`]);
  }
  return parseScenario(text, path);
}

/** `file` is the name that problems are reported under. */
export function parseScenario(text: string, file: string): Scenario {
  const reader = createReader(text, file);
  // Whatever else would be said of a document that is not YAML would only follow from that.
  if (reader.problems().length > 0) throw broken(reader.problems());
  const scenario = readScenario(reader, file);
  if (reader.problems().length > 0) throw broken(reader.problems());
  return scenario;
}

const KEYS = ["name", "about", "project", "window", "script", "agents", "summary"];

function readScenario(reader: Reader, file: string): Scenario {
  const places = reader.keys(reader.root, "the keys of a scenario", KEYS);
  const { name, about, project, window, script, agents, summary } = Object.fromEntries(places);
  if (name === undefined) reader.complain(reader.root.line, 'expected "name": a few words for people');
  if (script === undefined) reader.complain(reader.root.line, 'expected "script": a list of steps');
  return {
    file,
    name: name ? reader.text(name, "a few words for people") : "",
    ...(about && { about: reader.text(about, "a line for people") }),
    project: project ? readProject(reader, project) : [],
    ...(window && { window: reader.whole(window, "a number of tokens above 0", 1) }),
    script: script ? reader.list(script, "a list of steps").map((place) => readStep(reader, place)) : [],
    agents: agents ? readAgents(reader, agents) : new Map(),
    summary: summary ? readSummary(reader, summary) : [],
  };
}

function readProject(reader: Reader, place: Place): Scenario["project"] {
  return [...reader.names(place, "files by path")].map(([path, content]) => {
    try {
      inside("/project", path);
    } catch (error) {
      reader.complain(content.line, (error as Error).message);
    }
    return { path, content: reader.text(content, "the content of a file") };
  });
}

function readAgents(reader: Reader, place: Place): Scenario["agents"] {
  const types = reader.names(place, "lists of calls by the type of sub-agent");
  return new Map(
    [...types].map(([type, calls]) => {
      const list = reader.list(calls, "a list of calls").map((call) => readCall(reader, call));
      if (list.length === 0) reader.complain(calls.line, "expected at least one call");
      const last = list.at(-1);
      if (last && !endsRun(last))
        reader.complain(last.line, "expected an answer without tools: it is the last one of a sub-agent");
      return [type, runsOf(list)];
    }),
  );
}

/** A sub-agent is at its end when it answers without calling tools; the next call is of another one. */
function runsOf(calls: readonly Call[]): Run[] {
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

function readSummary(reader: Reader, place: Place): string[] {
  const value = reader.data(place);
  const texts = Array.isArray(value) ? reader.list(place, "a list of texts") : [place];
  return texts.map((text) => reader.text(text, "a text, or a list of texts"));
}

function broken(problems: readonly string[]): CliError {
  return wrongUse(problems.join("\n"), "broken_scenario");
}
