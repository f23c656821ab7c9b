// The catalogue: every attachment, in the order of delivery.

import type { Attachment } from "../core/attachment.ts";
import { deletedFile } from "./files/deleted-file.ts";
import { editedImageFile } from "./files/edited-image-file.ts";
import { editedTextFile } from "./files/edited-text-file.ts";
import { todo } from "./files/todo.ts";
import { criticalSystemReminder } from "./lifecycle/critical-system-reminder.ts";
import { nestedMemory } from "./memory/nested-memory.ts";
import { projectContext } from "./memory/project-context.ts";
import { planMode } from "./modes/plan-mode.ts";
import { planModeExit } from "./modes/plan-mode-exit.ts";
import { planModeReentry } from "./modes/plan-mode-reentry.ts";
import { alreadyReadFile } from "./prompt/already-read-file.ts";
import { compactFileReference } from "./prompt/compact-file-reference.ts";
import { directory } from "./prompt/directory.ts";
import { file } from "./prompt/file.ts";
import { queuedCommand } from "./prompt/queued-command.ts";
import { diagnostics } from "./tasks/diagnostics.ts";
import { taskStatus } from "./tasks/task-status.ts";
import { todoReminder } from "./tasks/todo-reminder.ts";
import { teammateMailbox } from "./team/teammate-mailbox.ts";
import { tokenUsage } from "./usage/token-usage.ts";

export const catalogue: readonly Attachment[] = [
  projectContext,
  file,
  directory,
  alreadyReadFile,
  compactFileReference,
  editedTextFile,
  editedImageFile,
  deletedFile,
  todo,
  nestedMemory,
  planModeReentry,
  planMode,
  planModeExit,
  todoReminder,
  teammateMailbox,
  criticalSystemReminder,
  queuedCommand,
  diagnostics,
  taskStatus,
  tokenUsage,
];
