import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

const names = ["todo_reminder", "todo_reminders", "plan_mode", "plan_mode_exit", "diagnostics"];

it.each([
  ["plan-mode", "plan_mode"],
  ["planmode", "plan_mode"],
  ["todo_remider", "todo_reminder"],
  ["Diagnostics", "diagnostics"],
  ["diagnostic", "diagnostics"],
  ["diag", "diagnostics"],
  ["todo", "todo_reminder"],
  ["plan_mode", "plan_mode"],
  ["x", undefined],
  ["", undefined],
  ["something_else_entirely", undefined],
])("the nearest to %j is %j", (wrong, right) => {
  expect(nearest(wrong, names)).toBe(right);
});

it("has none where there are no names, and none for a name without end", () => {
  expect(nearest("plan_mode", [])).toBeUndefined();
  expect(nearest("plan_mode".repeat(1_000_000), names)).toBeUndefined();
});
