// The sources of every session, each loaded on first use.

import type { ObservedFacts, ObservedName } from "../facts/facts.ts";
import { createFileAccess, type FileAccessOptions } from "./files/file-access.ts";
import { createPlanFileSource } from "./files/plan-file.ts";
import type { InstructionsHolder } from "./instructions/discover.ts";
import { createLanguageServersSource, type LanguageServersOptions } from "./lsp/lazy-lsp-source.ts";
import type { ResourceReader, Source } from "./source.ts";
import { steady } from "./steady.ts";
import type { MailAddress } from "./team/mailbox-path.ts";

export interface BuiltInOptions extends FileAccessOptions, Pick<LanguageServersOptions, "isTrusted"> {
  /** The types of sub-agents. */
  agents?: readonly string[] | undefined;
  resources?: ResourceReader | undefined;
  /** Whose letters and chats are read. Default: nobody's. */
  mailbox?: MailAddress;
  /** Set if the session has a mailbox file. `teammate`: whose it is; default: the session's own. */
  mailboxFile?: { teammate?: string };
}

export function builtInSources(options: BuiltInOptions): Source[] {
  const { mailbox: address, mailboxFile } = options;
  const fileAccess = createFileAccess(options);
  const { agents = [], resources } = options;
  const servers = () => resources?.servers() ?? [];
  let holder: Promise<InstructionsHolder> | undefined;
  const instructions = () => {
    holder ??= import("./instructions/discover.ts").then(({ createInstructionsHolder }) =>
      createInstructionsHolder(fileAccess),
    );
    return holder;
  };
  const sources: Source[] = [
    createPlanFileSource(fileAccess),
    createCalendarSource(),
    createLanguageServersSource({ fileAccess, isTrusted: options.isTrusted }),
    ...(mailboxFile === undefined
      ? []
      : [
          onDemand({ fact: "mail" }, async () => {
            const { createMailboxSource } = await import("./team/mailbox.ts");
            return createMailboxSource({ fileAccess, address, teammate: mailboxFile.teammate });
          }),
        ]),
    ...(address === undefined
      ? []
      : [
          onDemand({ fact: "collab" }, async () => {
            const { cwd, home } = fileAccess;
            return (await import("./team/chats.ts")).createChatsSource({ address, cwd, home });
          }),
        ]),
    onDemand({ fact: "mentioned", forPrompt: true }, async () =>
      (await import("./mentions/mentions.ts")).createMentionsSource(fileAccess, { agents, servers }),
    ),
    onDemand({ fact: "mentionedAgents", forPrompt: true }, async () =>
      (await import("./mentions/mentions.ts")).createMentionedAgentsSource({ agents }),
    ),
    onDemand({ fact: "mentionedResources", forPrompt: true }, async () =>
      (await import("./mentions/mentioned-resources.ts")).createMentionedResourcesSource(
        resources ?? { servers, read: () => Promise.reject(new Error("no server is connected")) },
      ),
    ),
    onDemand({ fact: "sessionNotes" }, async () =>
      (await import("./past-sessions.ts")).createPastSessionsSource({
        fileAccess,
        isTrusted: options.isTrusted,
      }),
    ),
    onDemand({ fact: "userReminders", behind: ["mentioned"] }, async () =>
      (await import("./reminders/reminders.ts")).createUserRemindersSource(fileAccess, options.isTrusted),
    ),
    onDemand(
      { fact: "diagnosticsAccess" },
      async () => (await import("./lsp/diagnostics.ts")).createDiagnosticsAccessSource(fileAccess),
      { prepares: new Set(["diagnostics_published"]) },
    ),
    onDemand({ fact: "restoredFiles" }, async () =>
      (await import("./mentions/restored-files.ts")).createRestoredFilesSource(fileAccess),
    ),
    onDemand(
      { fact: "ideAccess", behind: ["ideLink"] },
      async () => (await import("./ide/editor-events.ts")).createIdeAccessSource(fileAccess),
      { prepares: new Set(["ide_changed"]) },
    ),
    onDemand(
      { fact: "fileChanges", behind: ["mentioned"] },
      async () => (await import("./files/changes.ts")).createFileChangesSource({ fileAccess }),
      { prepares: new Set(["file_read", "file_written", "file_removed"]) },
    ),
    onDemand({ fact: "instructions", behind: ["mentioned", "ideLink"] }, async () =>
      (await import("./instructions/instructions.ts")).createInstructionsSource(await instructions()),
    ),
    onDemand({ fact: "projectContext" }, async () =>
      (await import("./instructions/instructions.ts")).createProjectContextSource(await instructions()),
    ),
  ];
  return sources.map((source) => steady(source));
}

// A source that is loaded on first use, so that importing the library stays fast.

type Face<Name extends ObservedName> = Pick<Source<Name>, "fact" | "forPrompt" | "behind">;

export interface OnDemandOptions {
  /** The types of events that it completes: only these load it before it is observed. */
  prepares?: ReadonlySet<string>;
}

export function onDemand<Name extends ObservedName>(
  face: Face<Name>,
  load: () => Promise<Source<Name>>,
  { prepares }: OnDemandOptions = {},
): Source<Name> {
  let loading: Promise<Source<Name>> | undefined;
  let there: Source<Name> | undefined;
  const loaded = () => {
    loading ??= load().then((source) => {
      there = source;
      return source;
    });
    return loading;
  };
  return {
    ...face,
    warm: loaded,
    observe: (turn, signal) =>
      there === undefined
        ? loaded().then((source) => source.observe(turn, signal))
        : there.observe(turn, signal),
    ...(prepares === undefined
      ? {}
      : {
          prepare: async (event) =>
            prepares.has(event.type) ? ((await (await loaded()).prepare?.(event)) ?? event) : event,
        }),
    problems: () => there?.problems?.() ?? [],
    async close() {
      await (await loading)?.close?.();
    },
  };
}

// The local calendar date: today, and when the session began.

export interface CalendarOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export function createCalendarSource({ now = Date.now }: CalendarOptions = {}): Source<"calendar"> {
  let last: { minute: number; at: string | undefined; value: Calendar } | undefined;
  return {
    fact: "calendar",
    observe({ facts }) {
      const { at } = facts.start;
      const time = now();
      // A date changes with a minute, wherever one is.
      const minute = Math.floor(time / 60_000);
      if (last?.minute !== minute || last.at !== at) {
        const today = dateOf(new Date(time));
        last = { minute, at, value: { today, start: at === undefined ? today : dateOf(new Date(at)) } };
      }
      return last.value;
    },
  };
}

type Calendar = ObservedFacts["calendar"];

/** `YYYY-MM-DD`, in local time. */
function dateOf(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}
