// Makes docs/profiles.md from the profiles; --check only compares.

import { catalogue } from "../packages/sotto/src/attachments/catalogue.ts";
import { typesNamed } from "../packages/sotto/src/config/schema.ts";
import type { Profile, ToolMeaning } from "../packages/sotto/src/profiles/profile.ts";
import { profiles } from "../packages/sotto/src/profiles/profiles.ts";
import { makeFiles } from "./make-files.ts";

const INTRODUCTION = `# Profiles

What is known of agents that somebody else wrote, as data: what their tools mean, what they tell their model themselves.
Made by \`npm run docs\` from \`packages/sotto/src/profiles\`.

\`\`\`ts
import { createSession, profiles, type Profile } from "sotto";

const session = createSession({ cwd, profile: profiles.codex });
\`\`\`

Requests that then pass through \`session.turn({ dialect, body })\`, or through an integration, are looked through for tool
calls that have their result. Each becomes events once, whatever comes back later: files read and written, the todo list,
the mode. What a tool only names (a directory searched, a path in a shell command) is looked up in rules.

Tools that a profile does not list, and agents without one, are known by common names, by the fields of their input and
by their descriptions ([embedding.md](guide/embedding.md)). An agent of your own gets a profile where that is not enough:

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
| \`read\` | \`path\`; \`offset\` (\`offsetFrom: 0\` where lines count from 0), \`limit\` or \`lastLine\`; \`shows\`: how many lines it shows where no part is asked for; \`range\`: a field with the first and the last line; \`parts\`: other fields that ask for a part; \`each\`: a field with a list of files |
| \`write\`, \`remove\` | \`path\` |
| \`patch\` | \`text\`, with lines such as \`*** Update File: path\` |
| \`command\` | \`command\`, or \`each\`: a field with a list of them; \`directory\`: \`cat\`, \`sed -n\` and \`head\` count as reads |
| \`search\` | \`path\` |
| \`todos\` | \`list\`, and of its items \`content\`, \`activeForm\`, \`status\` |
| \`mode\` | \`mode\` is what it is afterwards; \`planFile\` |
| \`choose\` | \`by\`: a field that says which, \`of\`: what each does |

\`alreadySends\` switches types off because the agent sends the same, with the reason that \`sotto explain\` shows; config switches them
on again. \`names\` are the agent's names for tools that reminders speak of: one that is not listed is not spoken of.`;

function page(): string {
  return `${[INTRODUCTION, ...Object.values(profiles).map(section)].join("\n\n")}\n`;
}

function section(profile: Profile): string {
  const { name, title, tools, alreadySends: does, defaults } = profile;
  const off = Object.entries(does).map(([off, how]) => {
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
