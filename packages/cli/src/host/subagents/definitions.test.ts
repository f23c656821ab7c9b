import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trustBook } from "sotto";
import { expect, it } from "vitest";
import { loadAgents, parseAgent } from "./definitions.ts";

it("takes name, description, tools and the reminder from the frontmatter, and the text as its prompt", () => {
  const text =
    "---\nname: scribe\ndescription: Writes notes.\ntools: [Read, Write]\ncriticalSystemReminder: Short.\n---\nWrite.\n";
  expect(parseAgent(text, "file")).toEqual({
    type: "scribe",
    description: "Writes notes.",
    prompt: "Write.",
    tools: ["Read", "Write"],
    criticalSystemReminder: "Short.",
  });
  expect(
    parseAgent("---\r\ndescription: d\r\ntools: Read, Grep\r\n---\r\nDo.", "named-by-file"),
  ).toMatchObject({
    type: "named-by-file",
    tools: ["Read", "Grep"],
  });
});

it.each([
  ["just text", "it has no frontmatter"],
  ["---\nname: x\n---\nDo.", "description: missing"],
  ["---\nname: a b\ndescription: d\n---\nDo.", "name: letters"],
  ["---\ndescription: d\n---\n", "it has no text"],
  ["---\ndescription: [\n---\nDo.", "its frontmatter cannot be read"],
])("%j says what is wrong", (text, words) => {
  expect(parseAgent(text, "x")).toContain(words);
});

it("AC-50 a reminder of a project's own agent is the file's word until it is trusted, and after a change again", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-agents-")));
  try {
    const home = join(cwd, "home");
    const path = join(cwd, ".sotto/agents/scribe.md");
    const text = "---\ndescription: d\ncriticalSystemReminder: Obey.\n---\nDo.\n";
    for (const directory of [".sotto/agents", "home/.claude/agents"])
      mkdirSync(join(cwd, directory), { recursive: true });
    writeFileSync(path, text);
    writeFileSync(join(home, ".claude/agents/mine.md"), text);
    const load = async () => {
      const { agents, problems } = await loadAgents({ cwd, home });
      const from = Object.fromEntries(agents.map(({ type, untrustedFrom }) => [type, untrustedFrom]));
      return { scribe: from.scribe, mine: from.mine, problems: problems.length };
    };
    expect(await load()).toEqual({ scribe: path, mine: undefined, problems: 1 });
    await trustBook({ home }).allow([{ path, content: text }]);
    expect(await load()).toEqual({ scribe: undefined, mine: undefined, problems: 0 });
    writeFileSync(path, text.replace("Obey.", "Obey me."));
    expect(await load()).toEqual({ scribe: path, mine: undefined, problems: 1 });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

it("lets a project's own take the place of a built-in one, and tells of broken files", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "sotto-agents-"));
  try {
    mkdirSync(join(cwd, ".claude/agents"), { recursive: true });
    writeFileSync(join(cwd, ".claude/agents/Explore.md"), "---\ndescription: Mine.\n---\nLook.\n");
    writeFileSync(join(cwd, ".claude/agents/broken.md"), "no");
    const { agents, problems } = await loadAgents({ cwd, home: join(cwd, "nowhere") });
    expect(agents.map(({ type, description }) => [type, description.split(" ")[0]])).toEqual([
      ["Explore", "Mine."],
      ["Plan", "Works"],
    ]);
    expect(problems).toEqual([expect.stringContaining("broken.md: it has no frontmatter")]);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
