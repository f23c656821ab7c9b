// What a session was about, in a page: made of what it knows already, without asking a model.

export interface SessionStory {
  /** When it ended. */
  at: Date;
  /** What the user asked for, in order. */
  asked: readonly string[];
  /** What the agent said last. */
  answer: string;
  todos: readonly { content: string; status: string }[];
  /** As people write them. */
  files: readonly string[];
  /** What must not be written down is taken out. */
  redact(text: string): string;
}

// A later session sees the first twenty lines: what was asked and what came of it stand there.
const MOST_ASKED = 5;
const MOST_ANSWER = 8;
const MOST_LISTED = 8;
const LONGEST = 300;
const LONGEST_TITLE = 80;

export function summaryOf({ at, asked, answer, todos, files, redact }: SessionStory): string {
  const clean = (text: string, most = LONGEST) => cut(redact(text).replace(/\s+/gu, " ").trim(), most);
  const prompts = asked.map((prompt) => `- ${clean(prompt)}`);
  const open = todos.map(({ content, status }) => `- [${status}] ${clean(content)}`);
  const lines = redact(answer)
    .split("\n")
    .map((line) => cut(line.trimEnd(), LONGEST))
    .filter((line) => line.trim() !== "");
  return `${[
    `# ${dayOf(at)}: ${clean(asked[0] ?? "a session", LONGEST_TITLE)}`,
    ...part("Asked", firstAndLast(prompts, MOST_ASKED)),
    ...part("Answered last", beginning(lines, MOST_ANSWER)),
    ...part("Todo list", beginning(open, MOST_LISTED)),
    ...part(
      "Files written",
      beginning(
        files.map((path) => `- ${clean(path)}`),
        MOST_LISTED,
      ),
    ),
  ].join("\n")}\n`;
}

function part(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

function beginning(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 1), `(${lines.length - most + 1} more)`];
}

/** The first says what it was about, the last where it stood. */
function firstAndLast(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [
    ...lines.slice(0, 1),
    `(${lines.length - most + 1} more in between)`,
    ...lines.slice(lines.length - most + 2),
  ];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** By the local calendar, as the user's day was. */
function dayOf(at: Date): string {
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((one) => String(one).padStart(2, "0")).join("-");
}
