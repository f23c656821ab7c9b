// What a tool's own words say of it, where its name is not known. In doubt nothing: who may change things is asked about.

import type { DeclaredTool } from "../dialects/dialect.ts";

const LONGEST = 4000;

// A word for reading has to begin both the name and the description.
const READING =
  /^(?:get|list|read|search|find|fetch|show|view|describe|look|lookup|count|retrieve|return|display|inspect|browse)(?:s|es|ing)?$/iu;
// Words for changing things, wherever they stand.
const CHANGING =
  /\b(?:delet|remov|creat|writ(?!ten)|modif|edit|updat|insert|overwrit|install|execut|send|submit|upload|renam|approv|cancel|refund|reset|trigger|deploy|purchas|publish|append|invok|mutat|destroy|drop|truncat|kill|terminat|schedul|charg|transfer|assign|enabl|disabl|revok|grant|replac|mov(?:e|es|ing)\b|sav(?:e|es|ing)\b|push|commit|merg|appl(?:y|ies)|launch|spawn|restart|reboot|perform|runs?\b|running|starts?\b|stops?\b|adds?\b|adding|sets?\b|setting|chang|clear|clos(?:e|es|ing)\b|archiv|marks?\b|repl(?:y|ies)|respond|generat|upsert|allocat|lock|unlock|sync|import|side effect)/iu;
// Those that are names of things as well, where a verb would stand.
const AMBIGUOUS =
  /(?:^|[.;,:!?(]\s*|\b(?:and|or|then|to|can|will|may|also|it|which|that|by|\w+ly)\s+)(?:order|book|post|call|stor(?:e|ing)|record|log|build|report|mak(?:e|ing)|put|open|sign|buy|pay|reserve|draft|call)(?:s|es|ing)?\b/iu;

// What a description denies: "changes nothing", "does not modify any files", "without writing to disk".
const DO =
  "(?:change|modify|write|edit|update|alter|create|delete|remove|touch|mutate|execute|send|run|add|move)";
const DOES =
  "(?:changes|modifies|writes|edits|updates|alters|creates|deletes|removes|touches|mutates|executes|sends)";
const DOING =
  "(?:changing|modifying|writing|editing|updating|altering|creating|deleting|removing|touching|mutating|executing|sending|running)";
const ANY =
  "(?: to)?(?: it| anything| any \\w+| files?| data| state| disk| the (?:files?|file ?system|database|workspace|repository|project|disk))?";
const several = (verb: string) => `${verb}(?:(?:,? (?:or|and|nor) |, )${verb})*`;
const DENIALS = new RegExp(
  [
    `${DOES} nothing`,
    `(?:does not|doesn[’']t|do not|don[’']t|cannot|can[’']t|can not|will not|won[’']t|never) ${several(DO)}${ANY}`,
    `never ${several(DOES)}${ANY}`,
    `without ${several(DOING)}${ANY}`,
    "(?:makes? no changes|has no side effects|no side effects|without side effects)",
  ]
    .map((form) => `\\b${form}(?=\\s*(?:$|[.;,:!?)]|and\\b))`)
    .join("|"),
  "giu",
);
// What takes a denial back, at least in part.
const RESERVED =
  /\b(?:unless|until|except|but|only|if|when|while|other than|besides|however|although|though|by default|not\b.*\bwithout|without\b.*\bnot)\b/iu;

/** What it says it does, without what it says it does not do. A sentence with reservations is left as it is. */
function withoutDenials(description: string): string {
  return description
    .split(/(?<=[.;!?\n])/u)
    .map((sentence) =>
      RESERVED.test(
        sentence.replaceAll(
          /\b(?:read[- ]only|only (?:read|list|get|search|show|view|return|look)(?:s|es|ing)?)\b/giu,
          "",
        ),
      )
        ? sentence
        : sentence.replaceAll(DENIALS, ""),
    )
    .join("");
}

/** Whether its name and its description agree that it only reads. */
export function saysItReads({ name, description = "" }: DeclaredTool): boolean {
  if (description === "" || description.length > LONGEST) return false;
  const words = wordsOf(name.replace(/^.*__/su, ""));
  const [first = ""] = /[a-z]+/iu.exec(description) ?? [];
  if (!READING.test(words[0] ?? "") || !READING.test(first)) return false;
  return ![words.join(" "), withoutDenials(description)].some(
    (text) => CHANGING.test(text) || AMBIGUOUS.test(text),
  );
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .split(/[^a-zA-Z0-9]+/u)
    .filter((word) => word !== "");
}

// How such tools are described, by our name for them; the fields of the input have to fit as well.
const DESCRIBED: readonly (readonly [string, RegExp])[] = [
  [
    "Read",
    /^(?:reads?|opens?|views?|shows?|displays?|returns?|gets?)\b[^.]{0,80}\b(?:a|the|any|one) (?:\w+ )?file\b/iu,
  ],
  ["Write", /^(?:writes?|creates?|overwrites?|saves?)\b[^.]{0,80}\b(?:a|the|any|new) (?:\w+ )?file\b/iu],
  [
    "Edit",
    /^(?:edits?|modif(?:y|ies)|replaces?|changes?)\b[^.]{0,80}\b(?:a|the|any|existing) (?:\w+ )?file\b/iu,
  ],
  ["Bash", /^(?:runs?|executes?)\b[^.]{0,60}\b(?:shell|bash|terminal) (?:commands?|scripts?)\b/iu],
  [
    "TodoWrite",
    /^(?:updates?|writes?|creates? and manages?|manages?|replaces?)\b[^.]{0,60}\b(?:todo|to-do|task) list\b/iu,
  ],
];

/** The kind of tool that its description speaks of, if any. */
export function describedAs({ description = "" }: DeclaredTool): string | undefined {
  const start = description.slice(0, 300).trimStart();
  const [role] = DESCRIBED.find(([, form]) => form.test(start)) ?? [];
  return role === "Read" && CHANGING.test(withoutDenials(start)) ? undefined : role;
}

/** Its commands are not for a POSIX shell, and are not taken apart as if they were. */
export function isForWindows({ name, description = "" }: DeclaredTool): boolean {
  return /powershell|pwsh|cmd\.exe|\bwindows\b/iu.test(`${name} ${description.slice(0, LONGEST)}`);
}
