// What happens in the world meanwhile, as a scenario file writes it.

import { parseEvent } from "sotto";
import { inside } from "./inside.ts";
import type { Action } from "./scenario.ts";
import { listed, type Place, type Reader } from "./yaml-reader.ts";

type Reading = (reader: Reader, place: Place) => Action | undefined;

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
      return { does: "event", line: place.line, event: parseEvent(reader.data(place)) };
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

export function readActions(reader: Reader, place: Place | undefined): Action[] {
  if (place === undefined) return [];
  return reader.list(place, "a list of what happens").flatMap((item) => {
    const keys = reader.keys(item, `something that happens: ${listed(NAMES)}`, NAMES);
    const found = NAMES.filter((name) => keys.has(name));
    if (found.length > 1) reader.complain(item.line, "expected one thing in each item of the list");
    return found.slice(0, 1).flatMap((name) => ACTIONS[name](reader, keys.get(name) as Place) ?? []);
  });
}

/** A bare `true` or `1` is an answer, too. */
export function readAnswer(reader: Reader, place: Place): string {
  const value = reader.data(place);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  return reader.text(place, 'what the user answers: "yes", "no", "always" or a text');
}

function fileContent(reader: Reader, place: Place): { path: string; content: string } {
  const found = texts(reader, place, ["path", "content"]);
  checkPath(reader, found.path, place.line);
  return found;
}

function texts<Key extends string>(
  reader: Reader,
  place: Place,
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

/** What is missing has been complained about already. */
function checkPath(reader: Reader, path: string, line: number): void {
  try {
    if (path !== "") inside("/project", path.replaceAll("{{cwd}}", "/project"));
  } catch (error) {
    reader.complain(line, (error as Error).message);
  }
}

function onlyTrue(reader: Reader, place: Place): void {
  if (reader.data(place) !== true) reader.complain(place.line, "expected true");
}
