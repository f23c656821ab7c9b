// The todo file: its path, and the list in it.

import type { TodoItem } from "../../facts/event-parts.ts";
import { todoPath } from "../../platform/paths.ts";
import type { TurnInfo } from "../source.ts";

const STATUSES = ["pending", "in_progress", "completed"] as const;
const MARKS: Record<string, TodoItem["status"]> = {
  " ": "pending",
  "~": "in_progress",
  x: "completed",
  X: "completed",
};

/** Undefined if `todo` is off, or no file is configured. */
export function todoFilePath({
  settings,
  cwd,
  session,
}: Pick<TurnInfo, "settings" | "cwd" | "session">): string | undefined {
  return settings.types.get("todo")?.enabled ? todoPath(settings.todo_file, session, cwd) : undefined;
}

/** The items, or what is wrong. Accepts a JSON list, alone or as `todos`, or a Markdown check list. */
export function parseTodos(text: string, path: string): TodoItem[] | string {
  if (path.endsWith(".md")) return fromMarkdown(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is not JSON";
  }
  const list = Array.isArray(value) ? value : (value as { todos?: unknown } | null)?.todos;
  if (!Array.isArray(list)) return "contains no list of todos";
  const items = list.map(toItem);
  return items.every((item) => item !== undefined) ? items : "contains todos without content or status";
}

function toItem(value: unknown): TodoItem | undefined {
  const { content, status, activeForm } = (value ?? {}) as Record<string, unknown>;
  if (typeof content !== "string" || !STATUSES.some((one) => one === status)) return undefined;
  return {
    content,
    status: status as TodoItem["status"],
    ...(typeof activeForm === "string" ? { activeForm } : {}),
  };
}

function fromMarkdown(text: string): TodoItem[] {
  return [...text.matchAll(/^[ \t]*[-*] \[([ ~xX])\] (.+)$/gmu)].map(([, mark = " ", content = ""]) => ({
    content: content.trim(),
    status: MARKS[mark] ?? "pending",
  }));
}
