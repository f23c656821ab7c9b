// The user's own texts: a file per type in the user's and the project's directory, validated when loaded.

import { existsSync } from "node:fs";
import { type Attachment, isValibot } from "../attachments/attachment.ts";
import type { ReminderProblem } from "../facts/user-reminders.ts";
import { nearest } from "../platform/nearest.ts";
import { joined } from "../platform/paths.ts";
import type { TypeTemplate } from "../render/template/apply-template.ts";
import { parseTemplate } from "../render/template/parse-template.ts";
import type { FileAccess } from "./files/file-access.ts";
import type { Reader } from "./files/reader.ts";
import type { IsTrusted } from "./source.ts";
import { isAllowed } from "./trust/user-trust-store.ts";

export interface LoadTemplatesOptions {
  fileAccess: FileAccess;
  catalogue: readonly Attachment[];
  isTrusted?: IsTrusted | undefined;
  /** Files not read by then are not used. */
  signal?: AbortSignal;
}

export interface LoadedTemplates {
  /** The nearest usable one for each type, from the working directory up. */
  byType: Map<string, TypeTemplate>;
  problems: ReminderProblem[];
}

// One for every type, and some to spare.
const MOST_FILES = 300;
const MAX_BYTES = 200_000;
const UNTRUSTED = "it belongs to the project, and it is not trusted yet; run `sotto trust`";

export async function loadTemplates(options: LoadTemplatesOptions): Promise<LoadedTemplates> {
  const { fileAccess } = options;
  const reader = await fileAccess.reader();
  const byType = new Map<string, TypeTemplate>();
  const problems: ReminderProblem[] = [];
  const { levels } = await fileAccess.project();
  const places = [
    ...(fileAccess.takes("user_templates")
      ? [{ directory: joined(fileAccess.configDirectory, "templates"), own: true }]
      : []),
    ...levels.map((level) => ({ directory: joined(level, ".sotto/templates"), own: false })),
  ];
  for (const { directory, own } of places)
    for (const path of await templatesIn(directory, { ...options, reader, problems })) {
      const type = path.slice(directory.length + 1, -".md".length);
      const found = await loadTemplate({ path, type, own }, { ...options, reader });
      problems.push(...found.problems);
      const before = byType.get(type);
      // One that cannot be used does not replace one that can.
      if (found.loaded !== undefined && ("template" in found.loaded || before === undefined))
        byType.set(type, found.loaded);
    }
  return { byType, problems };
}

async function templatesIn(
  directory: string,
  { reader, problems, signal }: Loading & { problems: ReminderProblem[] },
): Promise<string[]> {
  const listed = await reader.list(directory, { limit: MOST_FILES, signal });
  if (listed.kind === "missing") return [];
  if (listed.kind === "denied") {
    // A rule denies a place whether or not something is there.
    if (existsSync(directory))
      problems.push({ path: directory, problem: `may not be listed: ${listed.rule}` });
    return [];
  }
  if (listed.kind !== "directory") {
    problems.push({ path: directory, problem: `cannot be listed: ${whyNot(listed)}` });
    return [];
  }
  if (listed.truncated)
    problems.push({ path: directory, problem: `more than ${MOST_FILES} templates: the rest is ignored` });
  return listed.entries.map(({ name }) => joined(directory, name)).filter((path) => path.endsWith(".md"));
}

type Loading = LoadTemplatesOptions & { reader: Reader };

interface Found {
  loaded?: TypeTemplate;
  problems: ReminderProblem[];
}

async function loadTemplate(
  { path, type, own }: { path: string; type: string; own: boolean },
  { catalogue, isTrusted, reader, signal }: Loading,
): Promise<Found> {
  const unusable = (
    problem: string,
    place: Pick<ReminderProblem, "line" | "column" | "needsTrust"> = {},
  ): Found => {
    const where = place.line === undefined ? "" : `line ${place.line}, column ${place.column}: `;
    return { loaded: { path, problem: `${where}${problem}` }, problems: [{ path, ...place, problem }] };
  };
  const attachment = catalogue.find((one) => one.type === type);
  if (attachment === undefined) {
    const right = nearest(
      type,
      catalogue.map((one) => one.type),
    );
    const hint = right === undefined ? "" : `; did you mean ${right}.md?`;
    return { problems: [{ path, problem: `there is no type "${type}"${hint}` }] };
  }
  const outcome = await reader.read(path, { maxBytes: MAX_BYTES, signal });
  if (outcome.kind !== "text") return unusable(`it cannot be read: ${whyNot(outcome)}`);
  const text = outcome.text.replace(/^\uFEFF/u, "");
  if (!own && !(await isAllowed(isTrusted, path, outcome.text)))
    return unusable(UNTRUSTED, { needsTrust: true });
  if (outcome.truncated) return unusable(`it has more than ${MAX_BYTES} bytes`);
  if (text.trim() === "") return unusable("it is empty");
  const { schema } = attachment;
  if (!isValibot(schema))
    return unusable(
      `the fields of "${type}" are not known: its schema is from ${schema["~standard"].vendor}, and templates need one from valibot`,
    );
  const template = parseTemplate(text, schema);
  if ("problem" in template) {
    const { problem, ...place } = template;
    return unusable(problem, place);
  }
  const hides = hidingWords(text);
  const warnings = hides.map((words) => ({
    path,
    problem: `"${words}" asks to hide something from the user; it is used as it stands`,
  }));
  return { loaded: { path, template, ...(own ? {} : { ofProject: true as const }) }, problems: warnings };
}

function whyNot(outcome: { kind: string; rule?: string; why?: string }): string {
  return outcome.rule ?? outcome.why ?? outcome.kind;
}

// Phrases that ask an agent to hide something from its user, which no reminder should.

const HIDING =
  /\b(?:never|do not|don't|without) (?:ever )?(?:mention|tell|inform|reveal|disclos|show)\w*(?: \w+){0,4}? user\b|\b(?:keep|hide) (?:this|it|that)(?: \w+){0,3}? (?:user|secret|yourself)\b|\bhidden from the user\b/giu;

// Enough to show what is meant.
const MOST = 5;

export function hidingWords(text: string): string[] {
  return (text.match(HIDING) ?? []).slice(0, MOST);
}
