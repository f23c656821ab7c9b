// Types that come from the project's files, the user's prompt, the user's config, and other people's hands.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { saveSummary } from "../../packages/agent/src/session-files.ts";
import { witnessPair } from "../support/witness-pair.ts";
import { call, makeProject, openStage, type Stage } from "../support/witness-stage.ts";

const PIXEL = fileURLToPath(new URL("../support/cases/pixel.png", import.meta.url));
const shell = "sh, beside the agent";
const editor = "the user, before the session";

witnessPair(
  "instruction files and notes",
  {
    project_context: { source: "AGENTS.md", process: editor },
    nested_memory: { source: "docs/AGENTS.md, and a read beside it", process: `${editor}; the agent's Read` },
    user_reminder: { source: ".sotto/reminders/mine.md", process: `${editor}; the agent's Read` },
    memory: { source: "notes in the state directory", process: "a session before it" },
    empty_file_warning: { source: "an empty file", process: `${editor}; the agent's Read` },
  },
  async (isOn) => {
    const project = makeProject();
    // This agent's own Read says it, too, so it is off there unless asked for.
    project.config("[system_reminder.attachments]\nempty_file_warning = true\n");
    project.write("docs/guide.md", "A guide.\n");
    project.write("notes.txt", isOn ? "" : "Some notes.\n");
    if (isOn) {
      project.write("AGENTS.md", "Use tabs.\n");
      project.write("docs/AGENTS.md", "Short sentences here.\n");
      project.write(".sotto/reminders/mine.md", "---\nafter_tools: [Read]\n---\nThe guide is out of date.\n");
      const { cwd, home } = project;
      const place = { stateDirectory: join(home, ".state/sotto"), cwd, sessionId: "one" };
      await saveSummary(place, "# The parser\n\nIt was rewritten.\n");
    }
    const stage = await openStage(project, (_, index) => {
      if (index === 0) return call("Read", { file_path: "docs/guide.md" });
      return index === 1 ? call("Read", { file_path: "notes.txt" }) : { text: "Done." };
    });
    await stage.say("go");
    return stage.evidence();
  },
);

witnessPair(
  "mentions in a prompt",
  {
    file: { source: "@a.txt in the prompt", process: "the user" },
    directory: { source: "@docs in the prompt", process: "the user" },
    agent_mention: { source: "@agent-Explore in the prompt", process: "the user" },
    already_read_file: { source: "@a.txt in a second prompt", process: "the user", isSilent: true },
  },
  async (isOn) => {
    const project = makeProject();
    project.write("a.txt", "one\n");
    project.write("docs/guide.md", "A guide.\n");
    const stage = await openStage(project, () => ({ text: "Done." }));
    const mark = isOn ? "@" : "";
    await stage.say(`see ${mark}a.txt and ${mark}docs, use ${mark}agent-Explore`);
    await stage.say(`once more ${mark}a.txt`);
    return stage.evidence();
  },
);

witnessPair(
  "changes by others",
  {
    edited_text_file: { source: "a file that was read is changed", process: shell },
    edited_image_file: { source: "a picture that was read is changed", process: shell, isSilent: true },
    deleted_file: { source: "a file that was read is removed", process: shell },
    todo: { source: "the todo file is written", process: shell },
  },
  async (isOn) => {
    const project = makeProject();
    project.write("a.txt", "one\ntwo\n");
    project.write("gone.txt", "soon\n");
    copyFileSync(PIXEL, join(project.cwd, "pixel.png"));
    const awaited = ["edited_text_file", "edited_image_file", "deleted_file", "todo"];
    const stage: Stage = await openStage(
      project,
      (_, index) => {
        if (index < 3) return call("Read", { file_path: ["a.txt", "gone.txt", "pixel.png"][index] });
        if (index === 3)
          return call("TodoWrite", { todos: [{ content: "Look at it", status: "in_progress" }] });
        if (index === 4 && isOn)
          project.outside(
            `printf 'one\\n2\\n' > a.txt; rm gone.txt; printf x >> pixel.png
             printf '[{"content":"Look twice","status":"pending"}]' > .claude/todos/w.json`,
          );
        const isOver = awaited.every((type) => stage.attached.includes(type)) || index > (isOn ? 50 : 5);
        return isOver ? { text: "Done." } : call("Bash", { command: "sleep 0.1" });
      },
      { sessionId: "w" },
    );
    await stage.say("go");
    return stage.evidence();
  },
);

witnessPair(
  "what config asks for",
  {
    critical_system_reminder: { source: "critical_instruction in config.toml", process: editor },
    file_read_caution: { source: "config.toml, and a read", process: `${editor}; the agent's Read` },
    tool_result: { source: "config.toml, and a tool's end", process: `${editor}; the agent's Read` },
    token_usage: { source: "config.toml, and the model's count", process: `${editor}; the model server` },
    budget_usd: { source: "max_budget_usd, and the model's count", process: `${editor}; the model server` },
  },
  async (isOn) => {
    const project = makeProject();
    if (isOn)
      project.config(`[system_reminder]
critical_instruction = "Run the tests before you commit."
enable_token_usage = true
max_budget_usd = 0.25

[system_reminder.attachments]
file_read_caution = true
tool_result = true
`);
    project.write("a.txt", "one\n");
    const usage = { input: 55_000, output: 10 };
    const stage = await openStage(
      project,
      (_, index) =>
        index === 0 ? { ...call("Read", { file_path: "a.txt" }), usage } : { text: "Done.", usage },
      { window: 100_000 },
    );
    await stage.say("go");
    return stage.evidence();
  },
);
