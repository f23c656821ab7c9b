// Takes out of a text what looks like a secret: what the environment holds, and what is written as secrets are.

import { redactEnvironment } from "./redact-of-hooks.ts";
import type { Redact } from "./redact.ts";

const HIDDEN = "[hidden]";
const NAMES =
  "password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?";
const SHAPES: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu, HIDDEN],
  // As services write their keys: a prefix, and what nobody would type.
  [
    /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|npm|hf)[-_](?=[\w-]*\d)[\w-]{12,}/gu,
    HIDDEN,
  ],
  [/\b(?:(?:AKIA|ASIA)[A-Z\d]{12,}|AIza[\w-]{20,})/gu, HIDDEN],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/gu, HIDDEN],
  [/\b(bearer|basic)\s+[\w+/=.~-]{8,}/giu, `$1 ${HIDDEN}`],
  [/(:\/\/[^/\s:@]*):[^/\s@]+@/gu, `$1:${HIDDEN}@`],
  // A name that says so, and what it is set to.
  [
    new RegExp(`\\b([\\w.-]*(?:${NAMES})["']?\\s*(?:=|:)\\s*)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s,;]+)`, "giu"),
    `$1${HIDDEN}`,
  ],
  // The same as an option of a command, and what curl logs in with.
  [new RegExp(`(--?(?:${NAMES})\\s+)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s-]\\S*)`, "giu"), `$1${HIDDEN}`],
  [/(\s(?:-u|--user)[\s=]+["']?[^\s:"']+:)[^\s"']+/gu, `$1${HIDDEN}`],
];

type Environment = Readonly<Record<string, string | undefined>>;

export function redactWords(environment: Environment): Redact {
  const known = redactEnvironment(environment);
  return (text) => SHAPES.reduce((clean, [shape, instead]) => clean.replace(shape, instead), known(text));
}
