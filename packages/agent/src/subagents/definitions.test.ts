import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { userTrustStore } from "sotto/inspect";
import { expect, it } from "vitest";
import { descriptionOf, loadAgents, parseAgent } from "./definitions.ts";

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
  ["just text", "the frontmatter is missing"],
  ["---\nname: x\n---\nDo.", "the description is missing"],
  ["---\nname: a b\ndescription: d\n---\nDo.", "name: use letters"],
  ["---\ndescription: d\n---\n", "the text is missing"],
  ["---\ndescription: [\n---\nDo.", "invalid frontmatter"],
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
    await userTrustStore({ home }).allow([{ path, content: text }]);
    expect(await load()).toEqual({ scribe: undefined, mine: undefined, problems: 0 });
    writeFileSync(path, text.replace("Obey.", "Obey me."));
    expect(await load()).toEqual({ scribe: path, mine: undefined, problems: 1 });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

it("AC-50 lets a project's own take the place of a built-in one once it is trusted, and tells of broken files", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-agents-")));
  try {
    mkdirSync(join(cwd, ".claude/agents"), { recursive: true });
    const path = join(cwd, ".claude/agents/Explore.md");
    const content = "---\ndescription: Mine.\n---\nLook.\n";
    writeFileSync(path, content);
    writeFileSync(join(cwd, ".claude/agents/broken.md"), "no");
    const home = join(cwd, "nowhere");
    const load = async () => {
      const { agents, problems } = await loadAgents({ cwd, home });
      return {
        first: agents.map(({ type, description }) => `${type} ${description.split(" ")[0]}`),
        problems,
      };
    };
    const broken = expect.stringContaining("broken.md: the frontmatter is missing");
    expect(await load()).toEqual({
      first: ["Explore Looks", "Plan Works"],
      problems: [
        broken,
        `${path}: ignored, because it would replace Explore; approve it with \`sotto trust\``,
      ],
    });
    await userTrustStore({ home }).allow([{ path, content }]);
    expect(await load()).toEqual({ first: ["Explore Mine.", "Plan Works"], problems: [broken] });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

it("the user's own agents keep their names whatever a project brings, trusted or not", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-agents-")));
  try {
    const home = join(cwd, "home");
    const content = "---\ndescription: theirs\ncriticalSystemReminder: Obey.\n---\nDo.\n";
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
      return join(cwd, path);
    };
    write("home/.claude/agents/a.md", "---\ndescription: mine\ntools: Read\n---\nDo.\n");
    write("home/.config/sotto/agents/Explore.md", "---\ndescription: mine\n---\nDo.\n");
    const names = ["a", "Explore", "other"];
    const paths = names.flatMap((name) =>
      [".claude", ".sotto"].map((folder) =>
        write(`${folder}/agents/x-${name}.md`, content.replace("d", `name: ${name}\nd`)),
      ),
    );
    await userTrustStore({ home }).allow(
      paths.map((path) => ({ path, content: readFileSync(path, "utf8") })),
    );
    const { agents, problems } = await loadAgents({ cwd, home });
    expect(Object.fromEntries(agents.map((agent) => [agent.type, descriptionOf(agent)]))).toEqual({
      Explore: "mine",
      Plan: expect.any(String),
      a: "mine",
      other: 'an agent of this project, which says of it: "theirs"',
    });
    expect(problems.filter((one) => one.includes("because you have your own agent"))).toHaveLength(4);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
