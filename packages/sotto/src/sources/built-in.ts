// The sources every session has, each loaded when it is first asked.

import type { Source } from "../core/source.ts";
import { createCalendarSource } from "./calendar.ts";
import { createDesk, type DeskOptions } from "./files/desk.ts";
import type { MemoryShelf } from "./memory/open.ts";
import { onDemand } from "./on-demand.ts";
import { createPlanFileSource } from "./plan-file.ts";

export function builtInSources(options: DeskOptions): Source[] {
  const desk = createDesk(options);
  let shelf: Promise<MemoryShelf> | undefined;
  const memory = () => {
    shelf ??= import("./memory/open.ts").then(({ createMemoryShelf }) => createMemoryShelf(desk));
    return shelf;
  };
  return [
    createPlanFileSource(desk),
    createCalendarSource(),
    onDemand({ fact: "mentioned", forPrompt: true }, async () =>
      (await import("./mentions/mentions.ts")).createMentionsSource(desk),
    ),
    onDemand({ fact: "restoredFiles" }, async () =>
      (await import("./mentions/restored-files.ts")).createRestoredFilesSource(desk),
    ),
    onDemand(
      { fact: "ideAccess" },
      async () => (await import("./ide-access.ts")).createIdeAccessSource(desk),
      { prepares: new Set(["ide_changed"]) },
    ),
    onDemand(
      { fact: "fileChanges", behind: ["mentioned"] },
      async () => (await import("./files/changes.ts")).createFileChangesSource({ desk }),
      { prepares: new Set(["file_read", "file_written", "file_removed"]) },
    ),
    onDemand({ fact: "instructions", behind: ["mentioned"] }, async () =>
      (await import("./memory/instructions.ts")).createInstructionsSource(await memory()),
    ),
    onDemand({ fact: "projectContext" }, async () =>
      (await import("./memory/project-context.ts")).createProjectContextSource(await memory()),
    ),
  ];
}
