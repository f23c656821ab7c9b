// The catalogue: every attachment, in the order of delivery.

import type { Attachment } from "../core/attachment.ts";
import { criticalSystemReminder } from "./lifecycle/critical-system-reminder.ts";
import { planMode } from "./modes/plan-mode.ts";
import { planModeExit } from "./modes/plan-mode-exit.ts";
import { planModeReentry } from "./modes/plan-mode-reentry.ts";
import { queuedCommand } from "./prompt/queued-command.ts";
import { diagnostics } from "./tasks/diagnostics.ts";
import { taskStatus } from "./tasks/task-status.ts";
import { todoReminder } from "./tasks/todo-reminder.ts";
import { teammateMailbox } from "./team/teammate-mailbox.ts";
import { tokenUsage } from "./usage/token-usage.ts";

export const catalogue: readonly Attachment[] = [
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
