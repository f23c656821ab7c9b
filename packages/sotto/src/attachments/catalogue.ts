// The catalogue: every attachment, in the order in which reminders are sent.

import type { Attachment } from "./attachment.ts";
import { deletedFile } from "./files/deleted-file.ts";
import { editedImageFile } from "./files/edited-image-file.ts";
import { editedTextFile } from "./files/edited-text-file.ts";
import { emptyFileWarning } from "./files/empty-file-warning.ts";
import { fileReadCaution } from "./files/file-read-caution.ts";
import { asyncHookResponse } from "./hooks/async-hook-response.ts";
import { hookAdditionalContext } from "./hooks/hook-additional-context.ts";
import { hookBlockingError } from "./hooks/hook-blocking-error.ts";
import { hookStoppedContinuation } from "./hooks/hook-stopped-continuation.ts";
import { hookSuccess } from "./hooks/hook-success.ts";
import { openedFileInIde } from "./ide/opened-file-in-ide.ts";
import { selectedLinesInIde } from "./ide/selected-lines-in-ide.ts";
import { criticalSystemReminder } from "./lifecycle/critical-system-reminder.ts";
import { dateChange } from "./lifecycle/date-change.ts";
import { invokedSkills } from "./lifecycle/invoked-skills.ts";
import { microCompact } from "./lifecycle/micro-compact.ts";
import { outputStyle } from "./lifecycle/output-style.ts";
import { toolResult } from "./lifecycle/tool-result.ts";
import { userReminder } from "./lifecycle/user-reminder.ts";
import { memory } from "./memory/memory.ts";
import { nestedMemory } from "./memory/nested-memory.ts";
import { projectContext } from "./memory/project-context.ts";
import { ultramemory } from "./memory/ultramemory.ts";
import { delegateMode } from "./modes/delegate-mode.ts";
import { delegateModeExit } from "./modes/delegate-mode-exit.ts";
import { planFileReference } from "./modes/plan-file-reference.ts";
import { planMode } from "./modes/plan-mode.ts";
import { planModeExit } from "./modes/plan-mode-exit.ts";
import { planModeReentry } from "./modes/plan-mode-reentry.ts";
import { verifyPlanReminder } from "./modes/verify-plan-reminder.ts";
import { agentMention } from "./prompt/agent-mention.ts";
import { alreadyReadFile } from "./prompt/already-read-file.ts";
import { compactFileReference } from "./prompt/compact-file-reference.ts";
import { directory } from "./prompt/directory.ts";
import { file } from "./prompt/file.ts";
import { mcpResource } from "./prompt/mcp-resource.ts";
import { queuedCommand } from "./prompt/queued-command.ts";
import { silentTypes } from "./silent.ts";
import { asyncAgentStatus } from "./tasks/async-agent-status.ts";
import { backgroundRemoteSessionStatus } from "./tasks/background-remote-session-status.ts";
import { backgroundShellStatus } from "./tasks/background-shell-status.ts";
import { diagnostics } from "./tasks/diagnostics.ts";
import { lspDiagnostics } from "./tasks/lsp-diagnostics.ts";
import { taskProgress } from "./tasks/task-progress.ts";
import { taskStatus } from "./tasks/task-status.ts";
import { todo } from "./tasks/todo.ts";
import { todoReminder } from "./tasks/todo-reminder.ts";
import { collabNotification } from "./team/collab-notification.ts";
import { teammateMailbox } from "./team/teammate-mailbox.ts";
import { budgetUsd } from "./usage/budget-usd.ts";
import { tokenUsage } from "./usage/token-usage.ts";

/** All built-in attachment types. */
export const catalogue: readonly Attachment[] = [
  projectContext,
  planFileReference,
  microCompact,
  hookBlockingError,
  hookSuccess,
  hookAdditionalContext,
  hookStoppedContinuation,
  emptyFileWarning,
  fileReadCaution,
  dateChange,
  ...silentTypes,
  file,
  directory,
  alreadyReadFile,
  compactFileReference,
  mcpResource,
  agentMention,
  editedTextFile,
  editedImageFile,
  deletedFile,
  todo,
  nestedMemory,
  ultramemory,
  planModeReentry,
  planMode,
  planModeExit,
  delegateMode,
  delegateModeExit,
  todoReminder,
  teammateMailbox,
  collabNotification,
  criticalSystemReminder,
  invokedSkills,
  toolResult,
  userReminder,
  selectedLinesInIde,
  openedFileInIde,
  outputStyle,
  queuedCommand,
  diagnostics,
  lspDiagnostics,
  taskStatus,
  taskProgress,
  backgroundShellStatus,
  asyncAgentStatus,
  backgroundRemoteSessionStatus,
  asyncHookResponse,
  memory,
  tokenUsage,
  budgetUsd,
  verifyPlanReminder,
];
