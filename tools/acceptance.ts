// Makes docs/acceptance.md: the acceptance criteria, each with the tests that have its id in their title.

import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import ts from "typescript";
import { makeFiles } from "./make-files.ts";

const root = join(import.meta.dirname, "..");

/** What each id stands for. `planned`: the part it is about is not built yet. */
const CRITERIA: Readonly<Record<string, string | { planned: string }>> = {
  "AC-1": "Reminders are already in the request when the model is called.",
  "AC-2": "Each type renders with its own tag and wire format, in every variant.",
  "AC-3":
    "Sources run in parallel under one deadline (1 s by default); a hanging one costs no more than that.",
  "AC-4": "A type that throws, hangs or returns garbage affects only itself.",
  "AC-5": "`append` changes no earlier byte; `after_context` inserts right after context and instructions.",
  "AC-6": "Every reminder is marked as meta.",
  "AC-7": "Todo reminders are at least three turns apart.",
  "AC-8": "A todo reminder waits five turns after the last write of the list, the first one too.",
  "AC-9": "Plan mode is announced at once, then every five turns or more, in full or in short.",
  "AC-10": "`reset()` clears the throttles.",
  "AC-11": "Files that the agent reads are tracked.",
  "AC-12": "Every kind of change on disk to a tracked file is found.",
  "AC-13": "A file of which only a part was read never causes a notice.",
  "AC-14": "The agent is not notified of its own writes.",
  "AC-15": "One switch turns everything off.",
  "AC-16": "A type that is switched off sends nothing and does no I/O.",
  "AC-17": "The critical instruction is in every turn, if set.",
  "AC-18": "Config is read from TOML, aliases included.",
  "AC-19": "Environment variables, ours and the aliases, win over config files.",
  "AC-20": "The critical instruction survives compaction; sub-agents get the one of their definition.",
  "AC-21": "The plan text has its five phases and says whether the plan file exists.",
  "AC-22":
    "Entering plan mode again and leaving it are each announced once, and never contradict each other.",
  "AC-23": "The todo text is right with items and without.",
  "AC-24": "A notice of a changed file has a diff with line numbers.",
  "AC-25": "Types for the main agent never reach a sub-agent.",
  "AC-26": "A sub-agent's critical reminder comes after its system prompt and before everything else.",
  "AC-27": "The built-in Explore and Plan agents have theirs.",
  "AC-28": "OpenAI Responses and Chat Completions work through the official SDK.",
  "AC-29": "Gemini works through the official SDK.",
  "AC-30": "Anthropic works through the official SDK, and the AI SDK with its providers unchanged.",
  "AC-31": "A new type is one file and one line in the catalogue.",
  "AC-32": "The programs use only the library's doors.",
  "AC-33": "Imports follow the arrows between the rooms.",
  "AC-34": "`isReminder` is right for every dialect, with the log and without, and for quotes.",
  "AC-35": "Reminders stay out of summaries; what people or agents wrote through one is kept or sent again.",
  "AC-36": "After compaction everything still in force is sent again, once.",
  "AC-37": "Each request is a prefix of the next, whatever the client does to its own history.",
  "AC-38": "Faults and kills at every point lose no one-time reminder and repeat none.",
  "AC-39": "Untrusted text cannot forge a tag, in any spelling, and ordinary code is left alone.",
  "AC-40": "Resume, branch and rewind lead to the same next turn as an uninterrupted session.",
  "AC-41": "No text asks the model to hide something from the user.",
  "AC-42": "The budget is never exceeded; one-time reminders wait, and are not dropped.",
  "AC-43": "Every turn's trace has exactly one outcome for each type, with a reason that tells causes apart.",
  "AC-44": "Every type was caused by its real source in an end-to-end test.",
  "AC-45": "Hostile files (pipes, devices, huge or vanishing ones) cost almost nothing.",
  "AC-46": "Input that would spin or eat memory is stopped, reported, and not retried until it changes.",
  "AC-47": "The mode reminder always matches the mode.",
  "AC-48": "Secrets appear in no reminder, log, trace or telemetry.",
  "AC-49":
    "Without `commit()` a reply confirms; a retry gets the same bytes; an abandoned turn loses nothing.",
  "AC-50": "Nothing of a cloned project runs or gets authority before `sotto trust`; changes ask again.",
  "AC-51": "Clients may edit their history: what was sent is still there, or sent again once.",
  "AC-52": "An untrusted clone reads nothing outside itself and does not speak with authority.",
  "AC-53": "Hostile text costs at most 50 times what ordinary code of that length costs.",
  "AC-54": "Changes by the agent's own commands, tasks, hooks and sub-agents are attributed to them.",
  "AC-55": "Text by people and other agents arrives complete, however long.",
  "AC-56": "No reminder names a tool that the agent does not have.",
  "AC-57": "The library sends nothing from outside the project unless asked.",
  "AC-58": "Every store passes the contract and the fault campaign.",
  "AC-59": "The gateway adds reminders and changes no other byte in either direction.",
  "AC-60": "Local HTTP servers refuse every kind of attack request.",
  "AC-61": { planned: "A hostile log does nothing to the inspector." },
  "AC-62": { planned: "Replay uses constant memory and is deterministic." },
  "AC-63": { planned: "Judging whether reminders are heeded changes nothing unless `adaptive` is on." },
  "AC-64": {
    planned: "A CI job shows that suite and demo pass on a machine that is three times overloaded.",
  },
};

const INTRODUCTION = `# Acceptance criteria

What Sotto has to show, and the tests that show it. A test carries a criterion by having its id in its title, so
\`npx vitest run -t AC-37\` runs those of one criterion. Made by \`npm run docs\` from \`tools/acceptance.ts\` and the test
files; \`npm run docs:check\` fails when this page is stale, when a test names an unknown id, and when a criterion without
a test is not marked as planned.`;

interface Carrier {
  readonly file: string;
  /** The titles around it, outermost first, and its own. */
  readonly titles: readonly string[];
}

const carriers = carriersById();
complain();
makeFiles({ "docs/acceptance.md": page() }, "the tests");

function page(): string {
  const rows = Object.entries(CRITERIA).map(
    ([id, criterion]) => `| ${link(id)} | ${words(criterion)} | ${amount(id)} |`,
  );
  const sections = [...carriers.keys()].sort(byNumber).map(section);
  return `${[INTRODUCTION, ["| id | criterion | tests |", "|---|---|---|", ...rows].join("\n"), ...sections].join("\n\n")}\n`;
}

function section(id: string): string {
  const lines = (carriers.get(id) ?? []).map(({ file, titles }) =>
    [`- [${basename(file)}](../${file})`, ...titles.map(escaped)].join(" › "),
  );
  return [`## ${id}`, [...new Set(lines)].sort().join("\n")].join("\n\n");
}

function link(id: string): string {
  return carriers.has(id) ? `[${id}](#${id.toLowerCase()})` : id;
}

function words(criterion: string | { planned: string }): string {
  return typeof criterion === "string" ? criterion : criterion.planned;
}

function amount(id: string): string {
  return carriers.has(id) ? String(carriers.get(id)?.length) : "planned";
}

function complain(): void {
  const unknown = [...carriers.keys()].filter((id) => !(id in CRITERIA));
  const bare = Object.entries(CRITERIA).filter(
    ([id, criterion]) => typeof criterion === "string" && !carriers.has(id),
  );
  for (const id of unknown) console.error(`${id}: a test names it, tools/acceptance.ts does not`);
  for (const [id] of bare) console.error(`${id}: no test has this id in its title`);
  if (unknown.length + bare.length > 0) process.exitCode = 1;
}

function carriersById(): Map<string, Carrier[]> {
  const found = new Map<string, Carrier[]>();
  const files = globSync(["packages/*/src/**/*.test.ts", "test/**/*.ts"], {
    cwd: root,
    exclude: (path) => /(?:^|\/)node_modules(?:\/|$)/u.test(path),
  });
  for (const file of files.sort())
    for (const carrier of carriersIn(file))
      for (const id of new Set(carrier.titles.at(-1)?.match(/\bAC-\d+/gu)))
        found.set(id, [...(found.get(id) ?? []), carrier]);
  return found;
}

/** Every string with an id, with the `describe` titles around it. Support files keep some titles in variables. */
function carriersIn(file: string): Carrier[] {
  const text = readFileSync(join(root, file), "utf8");
  if (!/\bAC-\d/u.test(text)) return [];
  const found: Carrier[] = [];
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), []);
  return found;

  function visit(node: ts.Node, around: readonly string[]): void {
    const title = titleOf(node);
    if (title !== undefined && /\bAC-\d/u.test(title)) found.push({ file, titles: [...around, title] });
    const group = ts.isCallExpression(node) && /^describe\b/u.test(node.expression.getText());
    const name = group && node.arguments[0] ? titleOf(node.arguments[0]) : undefined;
    const inner = name === undefined ? around : [...around, name];
    // The title of a group is not inside the group.
    ts.forEachChild(node, (child) => visit(child, group && child === node.arguments[0] ? around : inner));
  }
}

function titleOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node)
    ? node
        .getText()
        .slice(1, -1)
        .replace(/\$\{[^}]*\}/gu, "…")
    : undefined;
}

/** As Markdown shows it unchanged. */
function escaped(title: string): string {
  return title.replace(/\s+/gu, " ").replace(/[\\`*_<>[\]|]/gu, "\\$&");
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(3)) - Number(b.slice(3));
}
