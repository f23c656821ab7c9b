// What looks like a key or a password, whatever text it is in.

const HIDDEN = "[hidden]";
const NAMES =
  "password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?";
const KEYS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu, HIDDEN],
  // Keys of services: a prefix, followed by random characters. Also right behind an option, as in `-psk-…`.
  [
    /(?:\b|(?<=\s-\w))(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|npm|hf)[-_](?=[\w-]*\d)[\w-]{12,}/gu,
    HIDDEN,
  ],
  [/\b(?:(?:AKIA|ASIA)[A-Z\d]{12,}|AIza[\w-]{20,})/gu, HIDDEN],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/gu, HIDDEN],
  [/\b(bearer|basic)\s+[\w+/=.~-]{8,}/giu, `$1 ${HIDDEN}`],
  [/(:\/\/[^/\s:@]*):[^/\s@]+@/gu, `$1:${HIDDEN}@`],
];
const NAMED: readonly [RegExp, string][] = [
  // A telling name, and its value.
  [
    new RegExp(`\\b([\\w.-]*(?:${NAMES})["']?\\s*(?:=|:)\\s*)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s,;]+)`, "giu"),
    `$1${HIDDEN}`,
  ],
  // The same as an option of a command, and the login of curl.
  [new RegExp(`(--?(?:${NAMES})\\s+)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s-]\\S*)`, "giu"), `$1${HIDDEN}`],
  [/(\s(?:-u|--user)[\s=]+["']?[^\s:"']+:)[^\s"']+/gu, `$1${HIDDEN}`],
];
// A value that an error quotes, such as a token in the wrong field of a config file.
const QUOTED = /(\bgot ["'])(?=[^"'\s]*\d)(?=[^"'\s]*[a-z])[\w+/=.:~-]{16,}/giu;

export function hideKeys(text: string): string {
  return without(text, [...KEYS, ...NAMED]);
}

/** The text of an error that may quote a file. What follows a name there is not its value. */
export function hideQuotedKeys(text: string): string {
  return without(text, KEYS).replace(QUOTED, `$1${HIDDEN}`);
}

const PLAIN_NAME = /^(?:[\w-]{0,24}|[a-z]{1,16}(?:_[a-z]{1,16}){1,5})$/u;

/** A name that an error repeats. A key or an address with a password may stand in its place: only what is plain is shown. */
export function shownName(name: string): string {
  return PLAIN_NAME.test(name) && without(name, KEYS) === name ? name : HIDDEN;
}

function without(text: string, shapes: readonly [RegExp, string][]): string {
  return shapes.reduce((clean, [shape, instead]) => clean.replace(shape, instead), text);
}
