// The sources every session has, each loaded when it is first asked.

import type { MailAddress } from "./team/mailbox-path.ts";
import type { ResourceReader, Source } from "./source.ts";
import { createCalendarSource } from "./calendar.ts";
import { createDesk, type DeskOptions } from "./files/file-access.ts";
import { createLanguageServersSource, type LanguageServersOptions } from "./lsp/language-servers.ts";
import type { MemoryShelf } from "./instructions/discover.ts";
import { onDemand } from "./on-demand.ts";
import { createPlanFileSource } from "./files/plan-file.ts";

export interface BuiltInOptions extends DeskOptions, Pick<LanguageServersOptions, "isTrusted"> {
  /** Types of the sub-agents there are. */
  agents?: readonly string[] | undefined;
  resources?: ResourceReader | undefined;
  /** Whose letters and chats are read; nobody's unless given. */
  mailbox?: MailAddress;
  /** Whether it has a mailbox file, and whose that is; the session's own unless `teammate` is given. */
  mailboxFile?: { teammate?: string };
}

export function builtInSources(options: BuiltInOptions): Source[] {
  const { mailbox: address, mailboxFile } = options;
  const desk = createDesk(options);
  const { agents = [], resources } = options;
  const servers = () => resources?.servers() ?? [];
  let shelf: Promise<MemoryShelf> | undefined;
  const memory = () => {
    shelf ??= import("./instructions/discover.ts").then(({ createMemoryShelf }) => createMemoryShelf(desk));
    return shelf;
  };
  return [
    createPlanFileSource(desk),
    createCalendarSource(),
    createLanguageServersSource({ desk, isTrusted: options.isTrusted }),
    ...(mailboxFile === undefined
      ? []
      : [
          onDemand({ fact: "mail" }, async () => {
            const { createMailboxSource } = await import("./team/mailbox.ts");
            return createMailboxSource({ desk, address, teammate: mailboxFile.teammate });
          }),
        ]),
    ...(address === undefined
      ? []
      : [
          onDemand({ fact: "collab" }, async () => {
            const { cwd, home } = desk;
            return (await import("./team/chats.ts")).createChatsSource({ address, cwd, home });
          }),
        ]),
    onDemand({ fact: "mentioned", forPrompt: true }, async () =>
      (await import("./mentions/mentioned-files.ts")).createMentionsSource(desk, { agents, servers }),
    ),
    onDemand({ fact: "mentionedAgents", forPrompt: true }, async () =>
      (await import("./mentions/mentioned-agents.ts")).createMentionedAgentsSource({ agents }),
    ),
    onDemand({ fact: "mentionedResources", forPrompt: true }, async () =>
      (await import("./mentions/mentioned-resources.ts")).createMentionedResourcesSource(
        resources ?? { servers, read: () => Promise.reject(new Error("no server is connected")) },
      ),
    ),
    onDemand({ fact: "sessionNotes" }, async () =>
      (await import("./past-sessions.ts")).createPastSessionsSource({ desk, isTrusted: options.isTrusted }),
    ),
    onDemand({ fact: "userReminders", behind: ["mentioned"] }, async () =>
      (await import("./reminders/reminders.ts")).createUserRemindersSource(desk, options.isTrusted),
    ),
    onDemand(
      { fact: "diagnosticsAccess" },
      async () => (await import("./lsp/diagnostics-access.ts")).createDiagnosticsAccessSource(desk),
      { prepares: new Set(["diagnostics_published"]) },
    ),
    onDemand({ fact: "restoredFiles" }, async () =>
      (await import("./mentions/restored-files.ts")).createRestoredFilesSource(desk),
    ),
    onDemand(
      { fact: "ideAccess", behind: ["ideLink"] },
      async () => (await import("./ide/ide-access.ts")).createIdeAccessSource(desk),
      { prepares: new Set(["ide_changed"]) },
    ),
    onDemand(
      { fact: "fileChanges", behind: ["mentioned"] },
      async () => (await import("./files/changes.ts")).createFileChangesSource({ desk }),
      { prepares: new Set(["file_read", "file_written", "file_removed"]) },
    ),
    onDemand({ fact: "instructions", behind: ["mentioned", "ideLink"] }, async () =>
      (await import("./instructions/instructions.ts")).createInstructionsSource(await memory()),
    ),
    onDemand({ fact: "projectContext" }, async () =>
      (await import("./instructions/project-context.ts")).createProjectContextSource(await memory()),
    ),
  ];
}
