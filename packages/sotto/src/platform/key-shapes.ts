// What looks like a key or a password, whatever text it is in.

const HIDDEN = "[hidden]";
const NAMES =
  "password|passwd|passphrase|secret|token|(?:api|access|private|secret|encryption)[_-]?key|credentials?";

interface Shape {
  pattern: RegExp;
  instead: string;
  /** One of these is in every match, in lower case: looking for them takes less time than making the expression. */
  signs: readonly string[];
}

const NAME_SIGNS = ["passw", "passphrase", "secret", "token", "key", "credential"];

const KEYS: readonly Shape[] = [
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu,
    instead: HIDDEN,
    signs: ["-----begin "],
  },
  // Keys of services: a prefix, followed by random characters. Also right behind an option, as in `-psk-…`.
  {
    pattern:
      /(?:\b|(?<=\s-\w))(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|npm|hf)[-_](?=[\w-]*\d)[\w-]{12,}/gu,
    instead: HIDDEN,
    signs: ["k-", "k_", "gh", "pat-", "pat_", "xox", "npm-", "npm_", "hf-", "hf_"],
  },
  {
    pattern: /\b(?:(?:AKIA|ASIA)[A-Z\d]{12,}|AIza[\w-]{20,})/gu,
    instead: HIDDEN,
    signs: ["akia", "asia", "aiza"],
  },
  { pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/gu, instead: HIDDEN, signs: ["sg."] },
  { pattern: /\bhf_[A-Za-z\d]{30,}/gu, instead: HIDDEN, signs: ["hf_"] },
  { pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/gu, instead: HIDDEN, signs: ["eyj"] },
  { pattern: /\b(bearer|basic)\s+[\w+/=.~-]{8,}/giu, instead: `$1 ${HIDDEN}`, signs: ["bearer", "basic"] },
  { pattern: /(:\/\/[^/\s:@]*):[^/\s@]+@/gu, instead: `$1:${HIDDEN}@`, signs: ["://"] },
];
const NAMED: readonly Shape[] = [
  // A telling name, and its value.
  {
    pattern: new RegExp(
      `\\b([\\w.-]*(?:${NAMES})\\\\*["']?\\s*(?:=|:)\\s*)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s,;]+)`,
      "giu",
    ),
    instead: `$1${HIDDEN}`,
    signs: NAME_SIGNS,
  },
  // The same as an option of a command, and the login of curl.
  {
    pattern: new RegExp(`(--?(?:${NAMES})\\s+)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s-]\\S*)`, "giu"),
    instead: `$1${HIDDEN}`,
    signs: NAME_SIGNS,
  },
  // As the setting of a program, such as `aws configure set aws_secret_access_key …`.
  {
    pattern: new RegExp(
      `(\\b(?:configure|config)\\s+set\\s+\\S*(?:${NAMES})\\s+)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s-]\\S*)`,
      "giu",
    ),
    instead: `$1${HIDDEN}`,
    signs: NAME_SIGNS,
  },
  // Programs for which `-p` is a password; with some it follows at once.
  {
    pattern: /((?<![\w./-])(?:mysql|mariadb)\w*\s[^\n|;&]*?\s-p)(?:"[^"\n]+"|'[^'\n]+'|[^\s"']+)/gu,
    instead: `$1${HIDDEN}`,
    signs: ["mysql", "mariadb"],
  },
  {
    pattern:
      /(\b(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm\s+registry|az|oc)\s+login)\b[^\n|;&]*?\s-p\s*)(?:"[^"\n]+"|'[^'\n]+'|[^\s"']+)/gu,
    instead: `$1${HIDDEN}`,
    signs: ["sshpass", "login"],
  },
  // Names of variables, and the signature of an address: elsewhere these are ordinary words.
  {
    pattern: /(\b[A-Z][A-Z\d_]*_(?:PASS|PWD|SK)=)(?:"[^"\n]+"|'[^'\n]+'|[^\s,;]+)/gu,
    instead: `$1${HIDDEN}`,
    signs: ["_pass=", "_pwd=", "_sk="],
  },
  { pattern: /([?&][\w-]*signature=)[^\s"'&]+/giu, instead: `$1${HIDDEN}`, signs: ["signature="] },
  { pattern: /(\bcookie:\s*)(?=[\w.-]+=)[^"'\n]+/giu, instead: `$1${HIDDEN}`, signs: ["cookie:"] },
  { pattern: /(\s(?:-u|--user)[\s=]+["']?[^\s:"']+:)[^\s"']+/gu, instead: `$1${HIDDEN}`, signs: ["-u"] },
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

function without(text: string, shapes: readonly Shape[]): string {
  const plain = inLowerCase(text);
  return shapes.reduce(
    (clean, { pattern, instead, signs }) =>
      signs.some((sign) => plain.includes(sign)) ? clean.replace(pattern, instead) : clean,
    text,
  );
}

/** With the one letter that expressions take for another which no text in lower case has. */
function inLowerCase(text: string): string {
  return text.toLowerCase().replaceAll("\u017f", "s");
}
