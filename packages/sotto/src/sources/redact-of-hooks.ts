// Secrets of the environment that a hook printed: their names stand in their place, whatever becomes of the output.

import { createRedact, type Redact } from "./redact.ts";

// By name, where people keep secrets; by the look of it, where the name says nothing.
const SECRET_NAME =
  /key(?!board|map|ring)|token|secret|pass(?:word|wd|phrase)?|credential|auth(?!or)|private|cookie|signature|dsn|webhook|jwt|bearer|salt|canary|_pat$/iu;
const WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/u;
const LOOKS_RANDOM = /^(?=\S*\d)(?=\S*[a-z])[\w+/=.:~-]{16,}$/iu;
const LOOKS_LIKE_PLACE = /^[./~]|^[a-z]+:\/\/|^[\d.:]+$|^\w+(?:[.-]\w+)*:\d+$|\/.*\//iu;
const SHORTEST_LINE = 16;
// A host's own words about itself: paths and names that hooks print all the time.
const HARMLESS_NAME =
  /^(?:(?:OLD)?PWD|HOME|PATH|SHELL|USER|LOGNAME|HOST(?:NAME|TYPE)|LANG(?:UAGE)?|LC_\w+|TERM\w*|TMP(?:DIR)?|TEMP|EDITOR|VISUAL|PAGER|DISPLAY|XDG_\w+|SSH_AUTH_SOCK|XAUTHORITY|npm_\w+|NODE\w*|_|CLAUDE_PROJECT_DIR|SOTTO_PROJECT_DIR|SOTTO_SESSION_ID)$/u;

export function redactEnvironment(environment: Readonly<Record<string, string | undefined>>): Redact {
  return createRedact(
    Object.entries(environment).flatMap(([name, value = ""]) =>
      piecesOf(name, value).map((piece) => ({ value: piece, shown: `[${name}]` })),
    ),
  );
}

function piecesOf(name: string, value: string): string[] {
  if (!isSecret(name, value)) return [];
  const lines = value.split(/\r?\n/u).filter((line) => line.length >= SHORTEST_LINE);
  return [...new Set([value, value.trim(), ...lines])];
}

export function isSecret(name: string, value: string): boolean {
  if (HARMLESS_NAME.test(name)) return false;
  if (SECRET_NAME.test(name) || WITH_PASSWORD.test(value)) return true;
  return LOOKS_RANDOM.test(value) && !LOOKS_LIKE_PLACE.test(value);
}
