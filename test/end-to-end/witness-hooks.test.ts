// Types that come from hooks: commands of the user's own, run as processes when something happens to the agent.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { witnessPair } from "../support/witness-pair.ts";
import { call, makeProject, openStage, type Stage } from "../support/witness-stage.ts";

const hook = (event: string, does: string) => ({
  source: `a ${event} hook that ${does}`,
  process: "sh, a hook",
});
const quiet = (event: string, does: string) => ({ ...hook(event, does), isSilent: true as const });

witnessPair(
  "hooks",
  {
    hook_success: hook("SessionStart", "prints a text"),
    hook_additional_context: hook("UserPromptSubmit", "gives context"),
    hook_blocking_error: hook("PreToolUse", "ends with 2"),
    hook_stopped_continuation: hook("PostToolUse", "says continue: false"),
    async_hook_response: hook("PostToolUse", "is not waited for, and answers"),
    hook_cancelled: quiet("PostToolUse", "is over its time"),
    hook_error_during_execution: quiet("PostToolUse", "cannot be started"),
    hook_non_blocking_error: quiet("PostToolUse", "ends with 1"),
    hook_system_message: quiet("PostToolUse", "has a word for the user"),
    hook_permission_decision: quiet("PreToolUse", "allows the call"),
  },
  async (isOn) => {
    const project = makeProject();
    project.write("a.txt", "one\n");
    if (isOn) writeHooks(project.home);
    const stage: Stage = await openStage(project, (_, index) => {
      if (index === 0) return call("Bash", { command: "ls" });
      if (index === 1) return call("Read", { file_path: "a.txt" });
      const isOver = stage.attached.includes("async_hook_response") || index > (isOn ? 100 : 3);
      if (!isOver) return call("Grep", { pattern: "one" });
      return stage.attached.includes("hook_stopped_continuation") || index > 110 || !isOn
        ? { text: "Done." }
        : call("Glob", { pattern: "*" });
    });
    await stage.say("go");
    await stage.say("and on");
    return stage.evidence();
  },
);

function writeHooks(home: string): void {
  const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
  const print = (value: unknown) => `printf '%s' '${JSON.stringify(value)}'`;
  const specific = (hookEventName: string, more: object) =>
    print({ hookSpecificOutput: { hookEventName, ...more } });
  const hooks = {
    SessionStart: [{ hooks: [command("echo 'The database is seeded.'")] }],
    UserPromptSubmit: [
      { hooks: [command(specific("UserPromptSubmit", { additionalContext: "Branch: main." }))] },
    ],
    PreToolUse: [
      { matcher: "Bash", hooks: [command("echo 'No lists today.' >&2; exit 2")] },
      { matcher: "Read", hooks: [command(specific("PreToolUse", { permissionDecision: "allow" }))] },
    ],
    PostToolUse: [
      {
        matcher: "Read",
        hooks: [
          command(specific("PostToolUse", { additionalContext: "Types: 2 errors." }), { async: true }),
          command("sleep 60", { timeout: 0.3 }),
          command("/no/such/program", { args: [] }),
          command("echo oops >&2; exit 1"),
          command(print({ systemMessage: "Formatted." })),
        ],
      },
      { matcher: "Glob", hooks: [command(print({ continue: false, stopReason: "The build is broken." }))] },
    ],
  };
  mkdirSync(join(home, ".config/sotto"), { recursive: true });
  writeFileSync(join(home, ".config/sotto/hooks.json"), JSON.stringify({ hooks }));
}
