// sotto/inspect: for those who look: what was sent and why, what config, instructions, skills and reminders there are.

import * as v from "valibot";
import type { Attachment } from "./attachments/attachment.ts";
import { catalogue } from "./attachments/catalogue.ts";
import type { Config } from "./config/config.ts";
import { settingsFrom } from "./config/layers.ts";
import { mergeConfig, resolveSettings } from "./config/schema.ts";
import { type SessionOptions, someOptions } from "./engine/options.ts";
import type { LanguageServerState } from "./facts/facts.ts";
import type { ReminderProblem, UserReminder } from "./facts/user-reminders.ts";
import { checkOptions, list, shape, text } from "./platform/check-options.ts";
import { type Problem, SottoError } from "./platform/errors.ts";
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
import { lookForServers } from "./sources/lsp/lazy-lsp-source.ts";
import type { MentionedPlace, ResolvedMentions } from "./sources/mentions/resolve.ts";
import type { FoundSkills } from "./sources/skills.ts";
import type { ProjectTrust } from "./sources/trust/trust-in-project.ts";
import { type ProjectTrustOptions, trustedByUser } from "./sources/trust/trusted-by-user.ts";

export { catalogue } from "./attachments/catalogue.ts";
export type { MemoryConfig } from "./config/config.ts";
export type { LanguageServerConfig, LanguageServersConfig } from "./config/language-servers.ts";
export { presets } from "./config/layers.ts";
export type { LanguageServerState } from "./facts/facts.ts";
export type { ReminderProblem, UserReminder } from "./facts/user-reminders.ts";
export { type MuteOptions, mute, mutedTypes, unmute } from "./inspect/mute.ts";
export { type ExplainedDelivery, type ExplainedOutcome, type ExplainedTurn, explain } from "./log/explain.ts";
export { createLedger, type Ledger, type LedgerLine } from "./log/ledger.ts";
export type { Outcome, OutcomeKind, Spared } from "./log/trace.ts";
export { problemText } from "./platform/errors.ts";
export type {
  InstructionKind,
  InstructionProblem,
} from "./sources/instructions/types.ts";
export type { MentionedFile, ResolvedMentions } from "./sources/mentions/resolve.ts";
export type { FoundSkills, Skill } from "./sources/skills.ts";
export {
  type ExternalInput,
  externalInputs,
} from "./sources/trust/outside-project.ts";
export type {
  ProjectTrust,
  TrustItem,
  TrustKind,
  TrustRequest,
} from "./sources/trust/trust-in-project.ts";
export {
  type ProjectTrustOptions,
  trustedByUser,
  userTrustStore,
} from "./sources/trust/trusted-by-user.ts";
export type { TrustedFile, TrustState, TrustStore } from "./sources/trust/user-trust-store.ts";

// The config there is, without a session.

/** What `configFor` returns. */
export interface ConfigReport {
  /** The config files that were read: the user's, then the project's; absolute. */
  files: readonly string[];
  /** What is wrong with them. */
  problems: readonly Problem[];
  /** The config of all files and the environment, merged. */
  config: Config;
}

/** What `configFor` takes. */
export type ConfigForOptions = Pick<SessionOptions, "cwd" | "home" | "trust">;

/** Reads the config of a directory as a session there would, without a session. */
export async function configFor(given: ConfigForOptions): Promise<ConfigReport> {
  checkOptions("configFor", someOptions(["cwd", "home", "trust"]), given);
  const { cwd, ...options } = given;
  const ambient = ambientConfig({ ...options, cwd: absolutePath(cwd, process.cwd()), catalogue });
  const { environment } = ambient;
  const { paths = [], layers, problems } = await ambient.files();
  const config = [...layers, environment.config].reduce<unknown>(mergeConfig, {}) as Config;
  return { files: paths, problems: [...environment.problems, ...problems], config };
}

// Which instruction files and rules apply, without a session: for programs that show or check it.

/** What `instructionsFor` takes. `trust.user` is true by default here, as nothing leaves the machine. */
export interface InstructionsForOptions
  extends Pick<SessionOptions, "cwd" | "home" | "config" | "configFiles" | "permissions" | "trust"> {
  /** Files that a session reads one after the other. Default: none, for what loads at session start. */
  paths?: readonly string[];
}

/** What `instructionsFor` returns, in the order in which it loads; all paths are absolute. */
export interface InstructionsReport {
  /** With `paths`: what the session has from its start, before any of them. */
  start?: LoadedInstruction[];
  /** What loads with `paths`, or else at session start. */
  loaded: LoadedInstruction[];
  /** What does not load, and why. */
  skipped: SkippedInstruction[];
  /** What a person should fix. */
  problems: InstructionProblem[];
}

/** An instruction file or rule that loads. */
export interface LoadedInstruction {
  /** The file; absolute. */
  path: string;
  /** Whose it is. */
  kind: InstructionKind;
  /** Why it loads: which directory, which glob, imported by which file. */
  reason: string;
  /** The path that caused it; at session start the working directory. */
  for: string;
  /** It was too long and was cut. */
  truncated?: true;
}

/** An instruction file or rule that does not load, and why. */
export interface SkippedInstruction {
  /** The file; absolute. */
  path: string;
  /** Why it does not load. */
  reason: string;
  /** The path it was looked up for. */
  for: string;
}

/** Something that makes instructions load, and what it loads. */
interface Step {
  cause: string;
  /** Follows "said already". */
  how: string;
  result: InstructionsResult;
}

const instructionsOptions = someOptions(["cwd", "home", "config", "configFiles", "permissions", "trust"], {
  paths: v.optional(list(text("a path"), "a list of paths")),
});

/** Finds the instruction files and rules that apply to a directory or to paths, without a session. */
export async function instructionsFor(options: InstructionsForOptions): Promise<InstructionsReport> {
  checkOptions("instructionsFor", instructionsOptions, options);
  const { paths, permissions } = options;
  // Nothing leaves the machine here: the user's own files count by default, as in `sotto run`.
  const trust = { user: true, ...options.trust };
  const cwd = absolutePath(options.cwd, process.cwd());
  const { config, misread } = await memoryConfig({ ...options, trust, cwd });
  const fileAccess = createFileAccess({ cwd, permissions, trust, ...userDirectories(options.home) });
  const { openInstructions: openMemory } = await import("./sources/instructions/discover.ts");
  const memory = await openMemory({ fileAccess, config, work: nodePlatform.work });
  const start: Step = { cause: cwd, how: "at session start", result: await memory.session() };
  const denied = (await fileAccess.permissions()).problems.map((problem) => ({ path: cwd, problem }));
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

/** Each version of a file once: `said` remembers how it loaded. */
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

/** What `remindersFor` takes. */
export type RemindersForOptions = Pick<
  SessionOptions,
  "cwd" | "home" | "permissions" | "trust" | "attachments"
>;

/** What `remindersFor` returns; all paths are absolute. */
export interface RemindersReport {
  /** Reminders that are used. */
  reminders: UserReminder[];
  /** Templates that are used. */
  templates: { type: string; path: string }[];
  /** What a person should fix, in files that are used and in those that are not. */
  problems: ReminderProblem[];
}

/** Finds the user-defined reminders and templates for a directory, without a session. */
export async function remindersFor(options: RemindersForOptions): Promise<RemindersReport> {
  checkOptions("remindersFor", someOptions(["cwd", "home", "permissions", "trust", "attachments"]), options);
  const { permissions, trust, attachments = [] } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const fileAccess = createFileAccess({ cwd, permissions, trust, ...userDirectories(options.home) });
  const [{ createReminderFiles }, { loadTemplates }] = await Promise.all([
    import("./sources/reminders/reminders.ts"),
    import("./sources/templates.ts"),
  ]);
  const isTrusted = trust?.project ?? trustedByUser(options);
  const shelf = await createReminderFiles(fileAccess, isTrusted).read(nodePlatform.work);
  const all = [...catalogue, ...attachments];
  const { byType, problems } = await loadTemplates({
    fileAccess,
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

/** What `skillsFor` takes. */
export type SkillsForOptions = Pick<SessionOptions, "cwd" | "home" | "permissions" | "trust">;

/** Finds the skills for a directory: the user's and the project's. */
export async function skillsFor(options: SkillsForOptions): Promise<FoundSkills> {
  checkOptions("skillsFor", someOptions(["cwd", "home", "permissions", "trust"]), options);
  const { cwd: given, home, permissions, trust } = options;
  const cwd = absolutePath(given, process.cwd());
  const places = userDirectories(home);
  const files = createFileAccess({ cwd, permissions, trust, ...places });
  const { findSkills } = await import("./sources/skills.ts");
  const { takes } = files;
  return findSkills({ cwd, ...places, reader: await files.reader(), work: nodePlatform.work, takes });
}

// Which language servers a project would get, without a session and without starting any: for programs that check it.

/** What `languageServersFor` takes. */
export type LanguageServersForOptions = Pick<SessionOptions, "cwd" | "home" | "config" | "trust">;

/** Lists the language servers a project would get, without starting any. Empty unless config asks for some. */
export async function languageServersFor(options: LanguageServersForOptions): Promise<LanguageServerState[]> {
  checkOptions("languageServersFor", someOptions(["cwd", "home", "config", "trust"]), options);
  const { language_servers } = resolveSettings(options.config, catalogue);
  const fileAccess = createFileAccess({
    cwd: absolutePath(options.cwd, process.cwd()),
    ...userDirectories(options.home),
  });
  return lookForServers(
    { fileAccess, isTrusted: options.trust?.project ?? trustedByUser(options) },
    language_servers,
  );
}

// What a prompt mentions and what of it is there, without a session: for programs that show or check it.

/** What `mentionsIn` takes. */
export interface MentionsInOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  /** The prompt. */
  prompt: string;
  /** Names of the MCP servers there are. */
  servers?: readonly string[];
  /** The sub-agent types there are. */
  agents?: readonly string[];
}

const SECRET = "it may contain secrets";

const nameList = v.optional(list(text(), "a list of names"));
const mentionsOptions = someOptions(["cwd", "home", "permissions"], {
  prompt: shape("a prompt, a text", (value) => typeof value === "string"),
  servers: nameList,
  agents: nameList,
});

/** Resolves the `@` mentions of a prompt, without a session. */
export async function mentionsIn(options: MentionsInOptions): Promise<ResolvedMentions> {
  checkOptions("mentionsIn", mentionsOptions, options);
  const { prompt, permissions, servers = [], agents = [] } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const fileAccess = createFileAccess({ cwd, permissions, ...userDirectories(options.home) });
  const [{ parseMentions }, { resolveMentions }] = await Promise.all([
    import("./sources/mentions/parse-mentions.ts"),
    import("./sources/mentions/resolve.ts"),
  ]);
  return resolveMentions(parseMentions(prompt, { servers, agents }), {
    cwd,
    home: fileAccess.home,
    stat: (path) => placeAt(path, fileAccess),
  });
}

/** A link to something unreadable is unreadable too, and so is a directory that only rules about directories name. */
async function placeAt(path: string, fileAccess: FileAccess): Promise<MentionedPlace> {
  const reader = await fileAccess.reader();
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

/** Renders an attachment's data as the model would see it, with default options and all tools; without images. */
export function renderAttachment(attachment: Attachment, data: unknown): string {
  if (typeof (attachment as Partial<Attachment> | undefined)?.render !== "function")
    throw new SottoError(
      "invalid_attachment",
      "renderAttachment: expected an attachment, from defineAttachment or the catalogue",
    );
  const options = resolveSettings({}, [attachment]).types.get(attachment.type)?.options;
  const content = attachment.render(data, { tools: createVocabulary(undefined), options });
  const wrapper = attachment.wrap === "own-tags" ? undefined : "system-reminder";
  return textOf(renderBlocks(content, { tags: createTags({}), wrapper }));
}

/** Lists everything in a project that asks for trust, approved or not. */
export async function projectTrust(given: ProjectTrustOptions): Promise<ProjectTrust> {
  checkOptions("projectTrust", someOptions(["cwd", "home"]), given);
  const { cwd, home } = given;
  const { readProjectTrust } = await import("./sources/trust/trust-in-project.ts");
  const places = userDirectories(home);
  // Asked by the user, for what the user runs.
  const trust = { user: true };
  const fileAccess = createFileAccess({ cwd: absolutePath(cwd, process.cwd()), trust, ...places });
  return readProjectTrust({
    fileAccess,
    stateDirectory: places.stateDirectory,
    catalogue,
    work: nodePlatform.work,
  });
}
