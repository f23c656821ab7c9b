// The config there is, without a session: which files speak, and what is wrong with them.

import type { Attachment } from "./attachments/attachment.ts";
import { catalogue } from "./attachments/catalogue.ts";
import { type ConfigTable, changeConfig, oneName, settingsFrom } from "./config/layers.ts";
import { type Config, isTable, mergeConfig, namesIn, resolveSettings, typesNamed } from "./config/schema.ts";
import type { SessionOptions } from "./engine/options.ts";
import type { LanguageServerState } from "./facts/facts.ts";
import type { ReminderProblem, UserReminder } from "./facts/user-reminders.ts";
import type { Entry, NewEntry, Store } from "./log/entries.ts";
import { stamp } from "./log/journal.ts";
import { type Problem, SottoError } from "./platform/errors.ts";
import { nearest } from "./platform/nearest.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { absolutePath } from "./platform/paths.ts";
import { userDirectories } from "./platform/user-directories.ts";
import { createVocabulary } from "./profiles/vocabulary.ts";
import { textOf } from "./render/reminder.ts";
import { renderBlocks } from "./render/render.ts";
import { createTags } from "./render/tags.ts";
import { ambientConfig } from "./sources/config-files/ambient-config.ts";
import { createFileAccess, type FileAccess } from "./sources/files/file-access.ts";
import type {
  InstructionKind,
  InstructionProblem,
  InstructionsResult,
  LoadedInstructionFile,
} from "./sources/instructions/types.ts";
import { lookForServers } from "./sources/lsp/language-servers.ts";
import type { MentionedPlace, ResolvedMentions } from "./sources/mentions/resolve.ts";
import type { FoundSkills } from "./sources/skills/skills.ts";
import type { ProjectTrust } from "./sources/trust/project-trust.ts";
import { type ProjectTrustOptions, trustedByUser } from "./sources/trust/user-trust.ts";

export { catalogue } from "./attachments/catalogue.ts";
export type { LanguageServerConfig, LanguageServersConfig } from "./config/language-servers.ts";
export { presets } from "./config/layers.ts";
export type { MemoryConfig } from "./config/schema.ts";
export type { LanguageServerState } from "./facts/facts.ts";
export type { ReminderProblem, UserReminder } from "./facts/user-reminders.ts";
export { type ExplainedDelivery, type ExplainedOutcome, type ExplainedTurn, explain } from "./log/explain.ts";
export { createLedger, type Ledger, type LedgerLine } from "./log/ledger.ts";
export type { Outcome, OutcomeKind, Spared } from "./log/trace.ts";
export { problemText } from "./platform/errors.ts";
export type {
  InstructionKind,
  InstructionProblem,
} from "./sources/instructions/types.ts";
export type { MentionedFile, ResolvedMentions } from "./sources/mentions/resolve.ts";
export type { FoundSkills, Skill } from "./sources/skills/skills.ts";
export {
  type ExternalInput,
  externalInputs,
} from "./sources/trust/outside-project.ts";
export type {
  ProjectTrust,
  TrustItem,
  TrustKind,
  TrustRequest,
} from "./sources/trust/project-trust.ts";
export type { TrustedFile, TrustState, TrustStore } from "./sources/trust/trust-store.ts";
export {
  type ProjectTrustOptions,
  trustedByUser,
  userTrustStore,
} from "./sources/trust/user-trust.ts";

export interface ConfigReport {
  /** The user's, then the project's; absolute. */
  files: readonly string[];
  problems: readonly Problem[];
  /** What they say together, the environment included. */
  config: Config;
}

/** What `configFor` takes. */
export type ConfigForOptions = Pick<SessionOptions, "cwd" | "home" | "trust">;

export async function configFor({ cwd, ...options }: ConfigForOptions): Promise<ConfigReport> {
  const { environment, files } = ambientConfig({
    ...options,
    cwd: absolutePath(cwd, process.cwd()),
    catalogue,
  });
  const { paths = [], layers, problems } = await files();
  const config = [...layers, environment.config].reduce<unknown>(mergeConfig, {}) as Config;
  return { files: paths, problems: [...environment.problems, ...problems], config };
}

// Which instruction files and rules speak about paths, without a session: for programs that show or check it.

export interface InstructionsForOptions
  extends Pick<SessionOptions, "cwd" | "home" | "config" | "configFiles" | "permissions" | "trust"> {
  /** Read one after the other in one session, from its start on. Without them: what loads at its start. */
  paths?: readonly string[];
}

/** In the order in which it comes; all paths are absolute. */
export interface InstructionsReport {
  /** Where paths are asked for: what the session has from its start, before any of them. */
  start?: LoadedInstruction[];
  loaded: LoadedInstruction[];
  /** What did not come, and why. */
  skipped: SkippedInstruction[];
  /** What a person should mend. */
  problems: InstructionProblem[];
}

export interface LoadedInstruction {
  path: string;
  kind: InstructionKind;
  /** Why it came: which directory, which glob, imported by whom. */
  reason: string;
  /** The path that caused it; at session start the working directory. */
  for: string;
  /** It was too long, and cut. */
  truncated?: true;
}

export interface SkippedInstruction {
  path: string;
  reason: string;
  for: string;
}

/** Something that asks for memory, and what it brings. */
interface Step {
  cause: string;
  /** In words that follow "said already". */
  how: string;
  result: InstructionsResult;
}

export async function instructionsFor(options: InstructionsForOptions): Promise<InstructionsReport> {
  const { paths, permissions } = options;
  // Nothing leaves the machine here: the user's own files count by default, as in `sotto run`.
  const trust = { user: true, ...options.trust };
  const cwd = absolutePath(options.cwd, process.cwd());
  const { config, misread } = await memoryConfig({ ...options, trust, cwd });
  const desk = createFileAccess({ cwd, permissions, trust, ...userDirectories(options.home) });
  const { openInstructions: openMemory } = await import("./sources/instructions/discover.ts");
  const memory = await openMemory({ desk, config, work: nodePlatform.work });
  const start: Step = { cause: cwd, how: "at session start", result: await memory.session() };
  const denied = (await desk.permissions()).problems.map((problem) => ({ path: cwd, problem }));
  const problems = [...misread, ...denied];
  const said = new Map<string, string>();
  const atStart = reportOf([start], said, problems);
  if (paths === undefined) return atStart;
  const steps = paths.map(async (path): Promise<Step> => {
    const cause = absolutePath(path, cwd);
    return { cause, how: `with ${cause}`, result: await memory.nested({ path }) };
  });
  return { start: atStart.loaded, ...reportOf(await Promise.all(steps), said, problems) };
}

/** As a session in that directory would have it. */
async function memoryConfig({ config: host, configFiles, ...options }: InstructionsForOptions) {
  resolveSettings(host, catalogue);
  const ambient = (configFiles?.read ?? true) ? ambientConfig({ ...options, catalogue }) : undefined;
  const files = await ambient?.files();
  const environment = ambient?.environment.config ?? {};
  const config = settingsFrom(
    { defaults: configFiles?.defaults, files, host, environment, changed: {} },
    catalogue,
  );
  const misread = (files?.problems ?? []).map((one) => ({ path: one.where, problem: one.problem }));
  return { config, misread };
}

/** Each version of a file once: `said` remembers how it came. */
function reportOf(
  steps: readonly Step[],
  said: Map<string, string>,
  before: readonly InstructionProblem[],
): InstructionsReport {
  const loaded: LoadedInstruction[] = [];
  const skipped: SkippedInstruction[] = [];
  const problems = new Map<string, InstructionProblem>();
  const mend = (one: InstructionProblem) => problems.set(JSON.stringify([one.path, one.problem]), one);
  before.forEach(mend);
  for (const { cause, how, result } of steps) {
    for (const one of result.loaded) {
      const version = `${one.hash} ${one.key}`;
      const earlier = said.get(version);
      if (earlier === undefined) loaded.push(entryOf(one));
      else skipped.push({ path: one.path, reason: `said already, ${earlier}`, for: cause });
      if (earlier === undefined) said.set(version, how);
    }
    for (const { path, reason } of result.skipped) skipped.push({ path, reason, for: cause });
    result.problems.forEach(mend);
  }
  return { loaded, skipped, problems: [...problems.values()] };
}

function entryOf({ path, kind, reason, for: cause, truncated }: LoadedInstructionFile): LoadedInstruction {
  return { path, kind, reason, for: cause, ...(truncated && { truncated }) };
}

// The user-defined reminders and templates there are, without a session: for programs that show or check them.

export type RemindersForOptions = Pick<
  SessionOptions,
  "cwd" | "home" | "permissions" | "trust" | "attachments"
>;

/** All paths are absolute. */
export interface RemindersReport {
  reminders: UserReminder[];
  /** Templates that are used. */
  templates: { type: string; path: string }[];
  /** What a person should mend, in files that are used and in those that are not. */
  problems: ReminderProblem[];
}

export async function remindersFor(options: RemindersForOptions): Promise<RemindersReport> {
  const { permissions, trust, attachments = [] } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const desk = createFileAccess({ cwd, permissions, trust, ...userDirectories(options.home) });
  const [{ createReminderShelf }, { loadTemplates }] = await Promise.all([
    import("./sources/reminders/reminder-files.ts"),
    import("./sources/templates/load-templates.ts"),
  ]);
  const isTrusted = trust?.project ?? trustedByUser(options);
  const shelf = await createReminderShelf(desk, isTrusted)(nodePlatform.work);
  const all = [...catalogue, ...attachments];
  const { byType, problems } = await loadTemplates({
    desk,
    catalogue: all,
    isTrusted,
  });
  return {
    reminders: shelf.reminders.flatMap(({ reminder }) => reminder ?? []),
    templates: [...byType].flatMap(([type, found]) =>
      "template" in found ? [{ type, path: found.path }] : [],
    ),
    problems: [...shelf.problems, ...problems],
  };
}

// Which skills there are for an agent in a directory: the user's and the project's.

export type SkillsForOptions = Pick<SessionOptions, "cwd" | "home" | "permissions" | "trust">;

export async function skillsFor(options: SkillsForOptions): Promise<FoundSkills> {
  const { cwd: given, home, permissions, trust } = options;
  const cwd = absolutePath(given, process.cwd());
  const places = userDirectories(home);
  const { reader, takes } = createFileAccess({ cwd, permissions, trust, ...places });
  const { findSkills } = await import("./sources/skills/skills.ts");
  return findSkills({ cwd, ...places, reader: await reader(), work: nodePlatform.work, takes });
}

// Which language servers a project would get, without a session and without starting any: for programs that check it.

export type LanguageServersForOptions = Pick<SessionOptions, "cwd" | "home" | "config" | "trust">;

/** One line each; none where config does not ask for any. */
export async function languageServersFor(options: LanguageServersForOptions): Promise<LanguageServerState[]> {
  const { language_servers } = resolveSettings(options.config, catalogue);
  const desk = createFileAccess({
    cwd: absolutePath(options.cwd, process.cwd()),
    ...userDirectories(options.home),
  });
  return lookForServers(
    { desk, isTrusted: options.trust?.project ?? trustedByUser(options) },
    language_servers,
  );
}

// What a prompt mentions and what of it is there, without a session: for programs that show or check it.

export interface MentionsInOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  prompt: string;
  /** Names of the MCP servers there are. */
  servers?: readonly string[];
  /** Types of the agents there are. */
  agents?: readonly string[];
}

const SECRET = "it looks as if it held secrets";

export async function mentionsIn(options: MentionsInOptions): Promise<ResolvedMentions> {
  const { prompt, permissions, servers = [], agents = [] } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const desk = createFileAccess({ cwd, permissions, ...userDirectories(options.home) });
  const [{ parseMentions }, { resolveMentions }] = await Promise.all([
    import("./sources/mentions/parse-mentions.ts"),
    import("./sources/mentions/resolve.ts"),
  ]);
  return resolveMentions(parseMentions(prompt, { servers, agents }), {
    cwd,
    home: desk.home,
    stat: (path) => placeAt(path, desk),
  });
}

/** A link to what may not be read may not be read either, nor a directory that only rules about directories name. */
async function placeAt(path: string, desk: FileAccess): Promise<MentionedPlace> {
  const reader = await desk.reader();
  const found = await reader.stat(path);
  if (found.kind === "directory") {
    const listed = await reader.list(path, { limit: 1 });
    return listed.kind === "file" ? found : listed;
  }
  if (found.kind !== "file") return found;
  const access = await reader.access(path);
  if (access.kind === "secret") return { kind: "denied", rule: SECRET };
  return access.kind === "allowed" ? found : access;
}

// What the model reads of an attachment's data, for catalogues: with default options and every tool at hand.

/** All its text, tags included; images are left out. */
export function renderAttachment(attachment: Attachment, data: unknown): string {
  const options = resolveSettings({}, [attachment]).types.get(attachment.type)?.options;
  const content = attachment.render(data, { tools: createVocabulary(undefined), options });
  const wrapper = attachment.wrap === "own-tags" ? undefined : "system-reminder";
  return textOf(renderBlocks(content, { tags: createTags({}), wrapper }));
}

/** All that asks for trust in a project, allowed or not. */
export async function projectTrust({ cwd, home }: ProjectTrustOptions): Promise<ProjectTrust> {
  const { readProjectTrust } = await import("./sources/trust/project-trust.ts");
  const places = userDirectories(home);
  // Asked by the user, for what the user runs.
  const trust = { user: true };
  const desk = createFileAccess({ cwd: absolutePath(cwd, process.cwd()), trust, ...places });
  return readProjectTrust({
    desk,
    stateDirectory: places.stateDirectory,
    catalogue,
    work: nodePlatform.work,
  });
}

// Switching a type off in a session that runs elsewhere: the change goes into its log, its next turn sees it.

export interface MuteOptions {
  store: Store;
  session: string;
  /** A type, a generator, or an alias, as in config. */
  name: string;
}

/** Gives the types that are quiet from its next turn on. */
export async function mute(options: MuteOptions): Promise<string[]> {
  return change(options, false);
}

/** Takes that back: what config says of them holds again. Gives the types that were muted. */
export async function unmute(options: MuteOptions): Promise<string[]> {
  const { store, session } = options;
  const before = new Set(await mutedTypes({ store, session }));
  const types = await change(options, null);
  return types.filter((type) => before.has(type));
}

/** What was switched off in a session while it ran. */
export async function mutedTypes({ store, session }: Omit<MuteOptions, "name">): Promise<string[]> {
  const { entries } = await store.read(session, 0);
  const config = entries.reduce<ConfigTable>(
    (before, entry) =>
      entry.kind === "event" && entry.event.type === "config_changed"
        ? changeConfig(before, entry.event.config)
        : before,
    {},
  );
  const switches = isTable(config.attachments) ? Object.entries(config.attachments) : [];
  const off = switches.filter(([, value]) => value === false || (isTable(value) && value.enabled === false));
  return [...new Set(off.flatMap(([name]) => typesOf(name)))];
}

async function change({ store, session, name }: MuteOptions, enabled: false | null): Promise<string[]> {
  const { entries } = await store.read(session, 0);
  checkName(name, entries);
  const types = typesOf(name);
  // A type's own switch has the last word over its generator's: all of them are set.
  const alone = types.filter((type) => typesNamed(type, catalogue).length <= 1);
  const names = new Set([oneName(name, catalogue), ...alone.map((type) => oneName(type, catalogue))]);
  const attachments = Object.fromEntries([...names].map((one) => [one, { enabled }]));
  const event = { type: "config_changed" as const, config: { attachments } };
  const entry: NewEntry = stamp(new Date().toISOString(), { kind: "event" as const, event });
  const appended = await store.append(session, { entries: [entry] });
  if (!appended.ok) throw new SottoError("store_failed", "the change could not be written");
  return types;
}

function typesOf(name: string): string[] {
  const types = typesNamed(name, catalogue).map(({ type }) => type);
  return types.length === 0 ? [name] : types;
}

/** A host's own types are known by what became of them. */
function checkName(name: string, entries: readonly Entry[]): void {
  const seen = entries.flatMap((entry) => (entry.kind === "turn" ? Object.keys(entry.outcomes) : []));
  const names = [...new Set([...namesIn(catalogue), ...seen])];
  if (names.includes(name)) return;
  const right = nearest(name, names);
  const hint = right === undefined ? "; `sotto catalog` lists what there is" : `; did you mean "${right}"?`;
  throw new SottoError("invalid_config", `"${name}" is no type of reminder${hint}`);
}
