// How keys and passwords look: by themselves, behind a telling name, or behind the option of a program.

export const HIDDEN = "[hidden]";
const NAMES =
  "password|passwd|passphrase|secret|token|(?:api|access|private|secret|encryption)[_-]?key|credentials?";

export interface Shape {
  pattern: RegExp;
  instead: string;
  /** One of these is in every match, in lower case: looking for them takes less time than making the expression. */
  signs: readonly string[];
  /** The name and the value are parts of one word, if the shell reads them. */
  isOneWord?: true;
  /** The same, and quotes may be around both. */
  isOneArgument?: true;
}

const NAME_SIGNS = ["passw", "passphrase", "secret", "token", "key", "credential"];

/** What is a secret by itself. */
export const KEYS: readonly Shape[] = [
  {
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu,
    instead: HIDDEN,
    signs: ["-----begin "],
  },
  // Keys of services: a prefix, followed by random characters. Also right behind an option, as in `-psk-…`.
  {
    pattern:
      /(?:\b|(?<=\s-\w))(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|npm|hf)[-_](?=[\w-]{0,200}\d)[\w-]{12,}/gu,
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
  { pattern: /\beyJ(?:(?!\beyJ)[\w-]){8,}\.[\w-]{8,}\.[\w-]*/gu, instead: HIDDEN, signs: ["eyj"] },
  { pattern: /\b(bearer|basic)\s+[\w+/=.~-]{8,}/giu, instead: `$1 ${HIDDEN}`, signs: ["bearer", "basic"] },
  { pattern: /(:\/\/[^/\s:@]*):[^/\s@]+@/gu, instead: `$1:${HIDDEN}@`, signs: ["://"] },
  // Addresses to which everybody may post who knows them.
  {
    pattern:
      /(\b(?:hooks\.slack(?:-gov)?\.com\/[a-z]+|discord(?:app)?\.com\/api\/webhooks\/\d+|api\.telegram\.org\/bot\d+)[/:])[\w/-]{10,}/giu,
    instead: `$1${HIDDEN}`,
    signs: ["hooks.slack", "discord", "telegram"],
  },
];
const LOGIN = "(?<!\\S)(?:-u|--(?:proxy-)?user)[\\s=]+";
// Its first character is none that may stand before it: otherwise each way to divide them would be tried.
const USER = "[\"']?(?:[^\\s:\"'=][^\\s:\"']*)?:";
const VALUE = `(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s,;"']+)`;
// Whose password it is: other things have a pass as well, such as a renderer.
const OWNERS =
  "db|database|sql|my_?sql|pg|postgres|mongo|redis|ldap|smtp|imap|mail|email|ftp|sftp|ssh|http|proxy|wifi|vpn|mqtt|amqp|rpc|user|admin|root|sudo|login|auth|app|api|client|server|registry|vault|key|keystore|truststore";
// Of a number or a directory it is not one.
const PLAIN = "(?!\\d{1,3}(?!\\S)|[\"']?[/~.$-])";
// Keys of services are never without a digit.
const RANDOM = "(?=[^\\s,;]{0,99}\\d)(?=[^\\s,;]{0,99}[A-Za-z])(?=[^\\s,;]{8})(?![\"']?[/~.$])";
/** What stands behind a name or an option. */
export const NAMED: readonly Shape[] = [
  // A telling name, and its value.
  {
    pattern: new RegExp(
      `((?:${NAMES})\\\\*["']?\\s*(?:=|:)\\s*)(?!\\[hidden\\](?:["'\\s,;]|$))(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s,;]+)`,
      "giu",
    ),
    instead: `$1${HIDDEN}`,
    signs: NAME_SIGNS,
    isOneWord: true,
  },
  // In one argument that begins with the name: quotes may be around both. Behind `-c` it is a command of its own.
  {
    pattern: new RegExp(
      `((?<!\\S|\\s-\\w{0,4}c\\s)(?:[\\w.]*[_.])?(?:${NAMES})=)(?!\\[hidden\\])${VALUE}`,
      "giu",
    ),
    instead: `$1${HIDDEN}`,
    signs: NAME_SIGNS,
    isOneArgument: true,
  },
  // A password of somebody, by a shorter name.
  {
    pattern: new RegExp(
      `((?<![a-z\\d])(?:${OWNERS})_(?:pass|pwd)\\\\*["']?\\s*(?:=|:)\\s*\\\\*)(?!\\[hidden)${VALUE}`,
      "giu",
    ),
    instead: `$1${HIDDEN}`,
    signs: ["_pass", "_pwd"],
    isOneWord: true,
  },
  // The same as an option of a command, and the login of curl.
  {
    pattern: new RegExp(
      `(--?(?:auth)?(?:${NAMES})\\s+(?:<<<\\s*)?)(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s<-]\\S*)`,
      "giu",
    ),
    instead: `$1${HIDDEN}`,
    signs: NAME_SIGNS,
  },
  // By a shorter name.
  {
    pattern: new RegExp(
      `((?<![\\w-])--?(?:(?:${OWNERS})-?)?(?:pass|pwd)[\\s=]+|(?<![\\w-])--?(?:(?:src|dest)?(?:store|key)pass|auth-?key)[\\s=]+)(?!\\[hidden)${PLAIN}${VALUE}`,
      "gu",
    ),
    instead: `$1${HIDDEN}`,
    signs: ["pass", "pwd", "authkey", "auth-key"],
  },
  {
    pattern: /((?<![\w-])-pass(?:in|out)\s+["']?pass:)(?!\[hidden)[^\s"']+/gu,
    instead: `$1${HIDDEN}`,
    signs: ["pass:"],
    isOneArgument: true,
  },
  {
    pattern: new RegExp(`((?<![\\w-])--(?:[a-z]{1,9}-)?creds[\\s=]+${USER})(?!\\[hidden)[^\\s"']+`, "gu"),
    instead: `$1${HIDDEN}`,
    signs: ["creds"],
    isOneArgument: true,
  },
  // A header with any scheme.
  {
    pattern:
      /(\bauthorization\\*["']?\s*:\s*\\*["']?(?:[a-z][\w-]{0,20}[\s\u0001]+)?)(?=[\w+/=.:~-]{0,99}\d)[\w+/=.:~-]{8,}/giu,
    instead: `$1${HIDDEN}`,
    signs: ["authorization"],
    isOneArgument: true,
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
    pattern: passwordOf("(?<![\\w./-])(?:mysql|mariadb)\\w*(?=\\s)", "\\s-p"),
    instead: `$1${HIDDEN}`,
    signs: ["mysql", "mariadb"],
  },
  {
    pattern: passwordOf(
      "\\b(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm\\s+registry|az|oc)\\s+login)\\b",
      "\\s-p\\s*",
    ),
    instead: `$1${HIDDEN}`,
    signs: ["sshpass", "login"],
  },
  {
    pattern: passwordOf(programs("mongo\\w*|twine"), "\\s-p\\s+(?!-)"),
    instead: `$1${HIDDEN}`,
    signs: ["mongo", "twine"],
  },
  { pattern: passwordOf(programs("redis-cli"), "\\s-a\\s+"), instead: `$1${HIDDEN}`, signs: ["redis-cli"] },
  {
    pattern: passwordOf(programs("sqlcmd|osql|bcp"), "\\s-P\\s*"),
    instead: `$1${HIDDEN}`,
    signs: ["sql", "bcp"],
  },
  {
    pattern: passwordOf(programs("sqlplus|sqlldr|expdp|impdp|rman"), "\\s[\\w$#]+/(?=[^\\s/\"'@]+@)"),
    instead: `$1${HIDDEN}`,
    signs: ["sqlplus", "sqlldr", "expdp", "impdp", "rman"],
    isOneArgument: true,
  },
  {
    pattern: passwordOf(programs("nmcli|rclone"), "\\s(?:password|secret_access_key)\\s+"),
    instead: `$1${HIDDEN}`,
    signs: ["nmcli", "rclone"],
  },
  // Names of variables, and the signature of an address: elsewhere these are ordinary words.
  {
    pattern:
      /(\b(?!(?:BY|COM|SUR|TRES|ENCOM)PASS=)[A-Z][A-Z\d_]*(?:(?<=_|[A-Z]{2})PASS|_PWD|_SK)=)(?:"[^"\n]+"|'[^'\n]+'|[^\s,;]+)/gu,
    instead: `$1${HIDDEN}`,
    signs: ["pass=", "_pwd=", "_sk="],
  },
  {
    pattern: new RegExp(
      `(\\b[A-Z][A-Z\\d_]*(?<!\\b(?:[A-Z\\d_]*_)?(?:PRIMARY|FOREIGN|SORT|PARTITION|ROW|GROUP|CACHE|LOOKUP|PUBLIC))_KEY=)${RANDOM}${VALUE}`,
      "gu",
    ),
    instead: `$1${HIDDEN}`,
    signs: ["_key="],
  },
  { pattern: /([?&][\w-]*signature=)[^\s"'&]+/giu, instead: `$1${HIDDEN}`, signs: ["signature="] },
  { pattern: /(\bcookie:\s*)(?=[\w.-]+=)[^"'\n]+/giu, instead: `$1${HIDDEN}`, signs: ["cookie:"] },
  // The login of curl and others: quoted, to its closing quote; with curl also in one word with its option, or others.
  {
    pattern: new RegExp(`(${LOGIN}(["'])(?:(?!\\2)[^:\\n])*:)(?:(?!\\2)[^\\n])+(?=\\2)`, "gu"),
    instead: `$1${HIDDEN}`,
    signs: ["u"],
  },
  {
    pattern: new RegExp(`(${LOGIN}(?!-)${USER})[^\\s"']+`, "gu"),
    instead: `$1${HIDDEN}`,
    signs: ["u"],
    isOneArgument: true,
  },
  ...["u", "U"].map(
    (option): Shape => ({
      pattern: passwordOf("\\bcurl\\b", `\\s-[A-Za-z\\d#]{0,8}${option}\\s*(?!-)${USER}(?!["']?\\[hidden)`),
      instead: `$1${HIDDEN}`,
      signs: ["curl"],
      isOneArgument: true,
    }),
  ),
  // That of httpie.
  {
    pattern: passwordOf(
      "(?<![\\w.-])(?:https?|xhs?)(?=\\s)",
      `\\s(?:-[A-Za-z]{0,8}a\\s*|--auth[\\s=]+)(?!-)${USER}(?!["']?\\[hidden)`,
    ),
    instead: `$1${HIDDEN}`,
    signs: ["http", "xh"],
    isOneArgument: true,
  },
];

function programs(names: string): string {
  return `(?<![\\w.-])(?:${names})(?=\\s)`;
}

/** What follows an option of a program, in the same simple command. No text is read for two calls of it. */
function passwordOf(program: string, option: string): RegExp {
  const value = `(?:"[^"\\n]+"|'[^'\\n]+'|[^\\s"']+)`;
  return new RegExp(`(${program}(?:(?!${program})[^\\n|;&])*?${option})${value}`, "gu");
}
