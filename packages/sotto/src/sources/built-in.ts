// The sources of every session, each loaded on first use.

import type { ObservedFacts, ObservedName } from "../facts/facts.ts";
import { ideFile } from "../facts/ide.ts";
import { waitingFiles } from "../facts/instructions.ts";
import { refusePromise } from "../platform/refuse-promise.ts";
import { createFileAccess, type FileAccess, type FileAccessOptions } from "./files/file-access.ts";
import { createPlanFileSource } from "./files/plan-file.ts";
import { todoFilePath } from "./files/todo-file.ts";
import type { InstructionsHolder } from "./instructions/discover.ts";
import { createLanguageServersSource, type LanguageServersOptions } from "./lsp/lazy-lsp-source.ts";
import { type OnDemandKind, onDemand } from "./on-demand.ts";
import type { ResourceReader, Source, TurnInfo } from "./source.ts";
import { sameIfEqual } from "./steady.ts";
import type { MailAddress } from "./team/mailbox-path.ts";

export interface BuiltInOptions extends FileAccessOptions, Pick<LanguageServersOptions, "isTrusted"> {
  /** The types of sub-agents. */
  agents?: readonly string[] | undefined;
  resources?: ResourceReader | undefined;
  /** Whose letters and chats are read. Default: nobody's. */
  mailbox?: MailAddress;
  /** Set if the session has a mailbox file. `teammate`: whose it is; default: the session's own. */
  mailboxFile?: { teammate?: string };
  /** The process ends with the turn, so it watches no files. */
  isBrief?: boolean | undefined;
}

export function builtInSources(options: BuiltInOptions): Source[] {
  const fileAccess = createFileAccess(options);
  const { isTrusted, agents = NO_NAMES, resources, mailbox, mailboxFile, isBrief = false } = options;
  const context: Context = {
    fileAccess,
    isTrusted,
    agents,
    resources: resources && withNames(resources),
    mailbox,
    teammate: mailboxFile?.teammate,
    isBrief,
    instructions: undefined,
  };
  return [
    createPlanFileSource(fileAccess),
    createCalendarSource(),
    createLanguageServersSource({ fileAccess, isTrusted }),
    ...(mailboxFile === undefined ? [] : [onDemand(mail, context)]),
    ...(mailbox === undefined ? [] : [onDemand(collab, context)]),
    ...ALWAYS.map((kind) => onDemand(kind, context)),
  ];
}

/** A reader whose names are names, or it throws: a host may list anything. */
function withNames(reader: ResourceReader): ResourceReader {
  return {
    servers() {
      const names: unknown = reader.servers();
      refusePromise(names, "expected a list of servers, got a promise");
      if (!Array.isArray(names)) throw new Error("expected a list of servers");
      return names.filter((name) => typeof name === "string");
    },
    read: (resource, signal) => reader.read(resource, signal),
  };
}

/** What the sources of one session share. */
interface Context extends Pick<BuiltInOptions, "isTrusted" | "resources"> {
  fileAccess: FileAccess;
  agents: readonly string[];
  mailbox: MailAddress | undefined;
  teammate: string | undefined;
  isBrief: boolean;
  /** Set when first needed. */
  instructions: InstructionsHolder | undefined;
}

const NO_NAMES: readonly string[] = [];

async function instructionsOf(context: Context): Promise<InstructionsHolder> {
  const { createInstructionsHolder } = await import("./instructions/discover.ts");
  context.instructions ??= createInstructionsHolder(context.fileAccess);
  return context.instructions;
}

type Kind<Name extends ObservedName> = OnDemandKind<Name, Context>;

const NO_MAIL: ObservedFacts["mail"] = { received: 0, bad: [], aside: 0 };
const mail: Kind<"mail"> = {
  fact: "mail",
  nothing: ({ settings }) =>
    settings.mailbox_dir === "" && settings.mailbox_file_dir === "" ? NO_MAIL : undefined,
  usual: NO_MAIL,
  load: async ({ fileAccess, mailbox, teammate }) =>
    (await import("./team/mailbox.ts")).createMailboxSource({ fileAccess, address: mailbox, teammate }),
};

const NO_CHATS: ObservedFacts["collab"] = { chats: 0, problems: [] };
const collab: Kind<"collab"> = {
  fact: "collab",
  nothing: ({ settings }) => (settings.mailbox_dir === "" ? NO_CHATS : undefined),
  load: async ({ fileAccess, mailbox }) =>
    (await import("./team/chats.ts")).createChatsSource({ address: mailbox as MailAddress, fileAccess }),
};

const NOT_MENTIONED: ObservedFacts["mentioned"] = { found: 0, unresolved: [] };
const mentioned: Kind<"mentioned"> = {
  fact: "mentioned",
  forPrompt: true,
  nothing: (turn) => (mentionsNothing(turn) ? NOT_MENTIONED : undefined),
  load: async ({ fileAccess, agents, resources }) =>
    (await import("./mentions/mentions.ts")).createMentionsSource(fileAccess, {
      agents,
      servers: () => resources?.servers() ?? [],
    }),
};

const NO_AGENTS: ObservedFacts["mentionedAgents"] = { found: 0, unknown: [] };
const mentionedAgents: Kind<"mentionedAgents"> = {
  fact: "mentionedAgents",
  forPrompt: true,
  nothing: (turn) => (mentionsNothing(turn) ? NO_AGENTS : undefined),
  load: async ({ agents }) =>
    (await import("./mentions/mentions.ts")).createMentionedAgentsSource({ agents }),
};

const NO_SERVERS: ResourceReader = {
  servers: () => [],
  read: () => Promise.reject(new Error("no server is connected")),
};
const mentionedResources: Kind<"mentionedResources"> = {
  fact: "mentionedResources",
  forPrompt: true,
  nothing: (turn) => (mentionsNothing(turn) ? NOT_MENTIONED : undefined),
  load: async ({ resources = NO_SERVERS }) =>
    (await import("./mentions/mentioned-resources.ts")).createMentionedResourcesSource(resources),
};

function mentionsNothing({ userPrompt }: TurnInfo): boolean {
  return userPrompt?.includes("@") !== true;
}

const NOT_WANTED: ObservedFacts["sessionNotes"] = {};
const sessionNotes: Kind<"sessionNotes"> = {
  fact: "sessionNotes",
  nothing: ({ facts }) => (facts.pastSessions.wanted ? undefined : NOT_WANTED),
  load: async ({ fileAccess, isTrusted }) =>
    (await import("./past-sessions.ts")).createPastSessionsSource({ fileAccess, isTrusted }),
};

const NO_REMINDERS: ObservedFacts["userReminders"] = { reminders: [], problems: [] };
const userReminders: Kind<"userReminders"> = {
  fact: "userReminders",
  behind: ["mentioned"],
  usual: NO_REMINDERS,
  load: async ({ fileAccess, isTrusted }) =>
    (await import("./reminders/reminders.ts")).createUserRemindersSource(fileAccess, isTrusted),
};

const NONE_HIDDEN: ObservedFacts["diagnosticsAccess"] = { hidden: [] };
const diagnosticsAccess: Kind<"diagnosticsAccess"> = {
  fact: "diagnosticsAccess",
  prepares: new Set(["diagnostics_published"]),
  nothing: () => NONE_HIDDEN,
  load: async ({ fileAccess }) =>
    (await import("./lsp/diagnostics.ts")).createDiagnosticsAccessSource(fileAccess),
};

const NONE_RESTORED: ObservedFacts["restoredFiles"] = { restored: 0 };
const restoredFiles: Kind<"restoredFiles"> = {
  fact: "restoredFiles",
  // A file that the prompt mentions is shown as it asks for, and not once more.
  behind: ["mentioned"],
  nothing: ({ facts }) => (facts.files.toRestore.length === 0 ? NONE_RESTORED : undefined),
  load: async ({ fileAccess }) =>
    (await import("./mentions/restored-files.ts")).createRestoredFilesSource(fileAccess),
};

const NO_IDE_FILE: ObservedFacts["ideAccess"] = { access: "allowed" };
const ideAccess: Kind<"ideAccess"> = {
  fact: "ideAccess",
  behind: ["ideLink"],
  prepares: new Set(["ide_changed"]),
  nothing: ({ facts }) => (ideFile(facts.ide) === undefined ? NO_IDE_FILE : undefined),
  load: async ({ fileAccess }) => (await import("./ide/editor-events.ts")).createIdeAccessSource(fileAccess),
};

const NONE_TRACKED: ObservedFacts["fileChanges"] = { tracked: 0, unknown: [] };
const fileChanges: Kind<"fileChanges"> = {
  fact: "fileChanges",
  behind: ["mentioned"],
  prepares: new Set(["file_read", "file_written", "file_removed"]),
  nothing: (turn) =>
    turn.facts.files.count === 0 && todoFilePath(turn) === undefined ? NONE_TRACKED : undefined,
  usual: NONE_TRACKED,
  load: async ({ fileAccess, isBrief }) =>
    (await import("./files/changes.ts")).createFileChangesSource({ fileAccess, isBrief }),
};

const NONE_TOUCHED: ObservedFacts["instructions"] = { unknown: [] };
const instructions: Kind<"instructions"> = {
  fact: "instructions",
  behind: ["mentioned", "ideLink"],
  nothing: (turn) => {
    const { memory } = turn.facts;
    return memory.touched.length === 0 && waitingFiles(memory, turn).length === 0 ? NONE_TOUCHED : undefined;
  },
  usual: NONE_TOUCHED,
  load: async (context) =>
    (await import("./instructions/instructions.ts")).createInstructionsSource(await instructionsOf(context)),
};

const projectContext: Kind<"projectContext"> = {
  fact: "projectContext",
  load: async (context) =>
    (await import("./instructions/instructions.ts")).createProjectContextSource(
      await instructionsOf(context),
    ),
};

// In the order in which they are asked.
const ALWAYS = [
  mentioned,
  mentionedAgents,
  mentionedResources,
  sessionNotes,
  userReminders,
  diagnosticsAccess,
  restoredFiles,
  ideAccess,
  fileChanges,
  instructions,
  projectContext,
] as readonly Kind<ObservedName>[];

// The local calendar date: today, and when the session began.

export interface CalendarOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export function createCalendarSource({ now = Date.now }: CalendarOptions = {}): Source<"calendar"> {
  return new CalendarSource(now);
}

// A class, as each session has one.
class CalendarSource implements Source<"calendar"> {
  readonly #now: () => number;
  #minute: number | undefined;
  #at: string | undefined;
  /** The same object is returned for as long as it is equal. */
  #last: Calendar | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get fact() {
    return "calendar" as const;
  }

  observe({ facts }: TurnInfo): Calendar {
    const { at } = facts.start;
    const time = this.#now();
    // A date changes with a minute, wherever one is.
    const minute = Math.floor(time / 60_000);
    if (this.#last !== undefined && this.#minute === minute && this.#at === at) return this.#last;
    const today = dateOf(new Date(time));
    const start = at === undefined ? today : dateOf(new Date(at));
    this.#minute = minute;
    this.#at = at;
    this.#last = sameIfEqual(this.#last, { today, start });
    return this.#last;
  }
}

type Calendar = ObservedFacts["calendar"];

/** `YYYY-MM-DD`, in local time. */
function dateOf(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}
