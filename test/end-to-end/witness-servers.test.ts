// Types that come from other programs that run beside the agent: MCP servers, an editor, other agents.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { expect } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { setEnvironment } from "../support/environment.ts";
import { ownServer } from "../support/mcp-world.ts";
import { startCompanion } from "../support/servers/ide-companion.ts";
import { witnessPair } from "../support/witness-pair.ts";
import { call, makeProject, openStage, type Stage } from "../support/witness-stage.ts";

const pause = call("Bash", { command: "sleep 0.1" });

witnessPair(
  "an MCP server",
  { mcp_resource: { source: "@notes:note://a in the prompt", process: "node mcp-notes, a server" } },
  async (isOn) => {
    const project = makeProject();
    const server = isOn ? ownServer("mcp-notes") : { command: "/nowhere/server" };
    const path = project.write("servers.json", JSON.stringify({ mcpServers: { notes: server } }));
    const stage: Stage = await openStage(
      project,
      (_, index) =>
        stage.attached.includes("mcp_resource") || index > (isOn ? 100 : 3) ? { text: "Done." } : pause,
      { mcpConfig: [path] },
    );
    await stage.say("see @notes:note://a");
    return stage.evidence();
  },
);

witnessPair(
  "an editor",
  {
    opened_file_in_ide: { source: "the user opens a file", process: "an editor's companion" },
    selected_lines_in_ide: { source: "the user selects lines", process: "an editor's companion" },
  },
  async (isOn) => {
    const project = makeProject();
    const path = project.write("a.txt", "one\ntwo\nthree\n");
    setEnvironment({ TMPDIR: project.home });
    const editor = await startCompanion({
      directory: join(project.home, "gemini/ide"),
      workspacePath: project.cwd,
    });
    const active = (more: object) => ({ openFiles: [{ path, timestamp: 1, isActive: true, ...more }] });
    const selected = active({ cursor: { line: 3, character: 1 }, selectedText: "one\ntwo\n" });
    await editor.say(active({}));
    // Killed, where the source is to be gone: its file stays and leads nowhere.
    if (!isOn) await editor.close();
    const stage: Stage = await openStage(
      project,
      (_, index) => {
        if (stage.attached.includes("selected_lines_in_ide") || index > (isOn ? 100 : 3))
          return { text: "Done." };
        if (isOn && stage.attached.includes("opened_file_in_ide")) void editor.say(selected);
        return pause;
      },
      { ide: true },
    );
    try {
      await stage.say("go");
      return await stage.evidence();
    } finally {
      await stage.close();
      if (isOn) await editor.leave();
    }
  },
);

witnessPair(
  "another agent",
  { teammate_mailbox: { source: "a letter in the mailbox", process: "sotto send" } },
  async (isOn) => {
    const project = makeProject();
    const stage: Stage = await openStage(
      project,
      (_, index) => {
        if (index === 0 && isOn) send(project.cwd, "parsers/grace", "The parser is done.");
        return stage.attached.includes("teammate_mailbox") || index > (isOn ? 100 : 3)
          ? { text: "Done." }
          : pause;
      },
      { mailbox: { team: "parsers", agent: "grace" } },
    );
    await stage.say("go");
    return stage.evidence();
  },
);

function send(cwd: string, to: string, text: string): void {
  const args = [built().main, "send", to, text, "--from", "ci"];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}
