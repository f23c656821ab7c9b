// Makes docs/profiles.md from the profiles; --check only compares.

import { catalogue } from "../packages/sotto/src/attachments/catalogue.ts";
import { typesNamed } from "../packages/sotto/src/config/schema.ts";
import type { Profile, ToolMeaning } from "../packages/sotto/src/profiles/profile.ts";
import { profiles } from "../packages/sotto/src/profiles/profiles.ts";
import { makeFiles } from "./make-files.ts";

const INTRODUCTION = `# Profiles

What is known of agents that somebody else wrote, as data: what their tools do, and what they already send their model. Made by \`npm run docs\` from \`packages/sotto/src/profiles\`.

\`\`\`ts
import { createSession, profiles, type Profile } from "sotto";

const session = createSession({ cwd, profile: profiles.codex });
\`\`\`

Sotto then reads the finished tool calls in requests that pass through \`session.turn({ dialect, body })\` or an integration. Each
becomes events once, however often it is sent again: files read and written, the todo list, the mode. For paths that a tool
only names (a directory searched, a path in a shell command), rules are looked up.

Tools that a profile does not list, and those of agents without one, are known by common names, by their input fields and by
their descriptions ([embedding.md](guide/embedding.md#tools)). If that is not enough, write a profile for your agent:

\`\`\`ts
const mine: Profile = {
  name: "mine",
  title: "My agent",
  tools: {
    open_file: { does: "read", path: "file", offset: "from_line", limit: "lines" },
    save_file: { does: "write", path: "file" },
    run: { does: "command", command: "line" },
    plan: { does: "todos", list: "items", content: "title" },
  },
  alreadySends: { date_change: "puts the date into every prompt" },
  names: { Read: "open_file", Write: "save_file", TodoWrite: "plan" },
};
\`\`\`

| a tool \`does\` | with these fields of its input |
|---|---|
| \`read\` | \`path\`; \`offset\` (\`offsetFrom: 0\` if lines count from 0), \`limit\` or \`lastLine\`; \`shows\`: how many lines it shows if no part is asked for; \`range\`: a field with the first and the last line; \`parts\`: other fields that ask for a part; \`each\`: a field with a list of files |
| \`write\`, \`remove\` | \`path\` |
| \`patch\` | \`text\`, with lines such as \`*** Update File: path\` |
| \`command\` | \`command\`, or \`each\`: a field with a list of them; \`directory\`: \`cat\`, \`sed -n\` and \`head\` count as reads |
| \`search\` | \`path\` |
| \`todos\` | \`list\`, and of its items \`content\`, \`activeForm\`, \`status\` |
| \`mode\` | \`mode\` is what it is afterwards; \`planFile\` |
| \`choose\` | \`by\`: a field that decides, \`of\`: what each value does |

\`alreadySends\` switches types off because the agent sends the same, with the reason that \`sotto explain\` shows; config switches them
on again. \`names\` are the agent's names for tools that reminders speak of: one that is not listed is not spoken of.`;

function page(): string {
  return `${[INTRODUCTION, ...Object.values(profiles).map(section)].join("\n\n")}\n`;
}

function section(profile: Profile): string {
  const { name, title, tools, alreadySends, defaults } = profile;
  const off = Object.entries(alreadySends).map(([off, how]) => {
    const types = typesNamed(off, catalogue).map(({ type }) => `\`${type}\``);
    return `| ${types.join(", ")} | ${title} ${how} |`;
  });
  return [
    `## ${title} (\`${name}\`)`,
    `Tools: ${Object.entries(tools).map(toolWords).join(", ")}.`,
    ...(defaults === undefined ? [] : [`Besides: \`${JSON.stringify(defaults)}\`.`]),
    ["| off by default | because |", "|---|---|", ...off].join("\n"),
  ].join("\n\n");
}

function toolWords([name, { does }]: [string, ToolMeaning]): string {
  return `\`${name}\` ${does}`;
}

makeFiles({ "docs/profiles.md": page() }, "the profiles");
