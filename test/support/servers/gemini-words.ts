// The words in which Gemini refuses a request of the wrong shape.
import type { Path, Words } from "./shape.ts";

export const geminiWords: Words = (path, problem) => {
  const where = pathOf(path);
  const last = String(path.findLast((part) => typeof part === "string") ?? "");
  const field = `* GenerateContentRequest.${where}:`;
  switch (problem.kind) {
    case "unknown": {
      const parent = pathOf(path.slice(0, -1));
      return `Invalid JSON payload received. Unknown name "${last}"${parent && ` at '${parent}'`}: Cannot find field.`;
    }
    case "missing":
      return last === "name"
        ? `${field} Name cannot be empty.`
        : `${field} ${namesOf(path)} is not specified`;
    case "choice":
      return last === "role"
        ? "Please use a valid role: user, model."
        : `Invalid value at '${where}' (TYPE_ENUM), ${JSON.stringify(problem.got)}`;
    case "tag":
      return `Invalid value at '${where}.${problem.key}' (TYPE_ENUM), ${JSON.stringify(problem.got)}`;
    case "type":
      return `Invalid value at '${where}' (${TYPES[problem.expected]}), ${JSON.stringify(problem.got)}`;
    case "empty":
      return `${field} ${namesOf(path)} must not be empty.`;
    case "too long":
      return last === "name" ? `${field} ${NAME}` : `${field} must have at most ${problem.limit} elements.`;
    case "below":
    case "above":
      return `${field} ${last} is out of range: ${problem.kind} ${problem.limit}.`;
    case "pattern":
      return last === "name"
        ? `${field} ${NAME}`
        : `Invalid value at '${where}' (TYPE_BYTES), Base64 decoding failed`;
  }
};

const NAME =
  "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";

const TYPES: Record<string, string> = {
  string: "TYPE_STRING",
  boolean: "TYPE_BOOL",
  integer: "TYPE_INT32",
  number: "TYPE_FLOAT",
  array: "repeated",
  object: "TYPE_MESSAGE",
};

/** The API speaks of its fields by their names in the protocol, whatever they are called in JSON. */
function pathOf(path: Path): string {
  return path
    .map((part, at) => {
      if (typeof part === "number") return `[${part}]`;
      return typeof part === "string" ? `${at > 0 ? "." : ""}${snake(part)}` : "";
    })
    .join("");
}

function namesOf(path: Path): string {
  return path.flatMap((part) => (typeof part === "string" ? [snake(part)] : [])).join(".");
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
