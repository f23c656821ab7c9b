// A working day of an agent, request by request: what the model and its tools say, and what happens around it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEvent } from "sotto";

export interface Message {
  role: "user" | "assistant";
  content: { type: string; [field: string]: unknown }[];
}

export const REQUESTS = 300;
/** At four characters a token. */
export const SYSTEM = "You are a coding agent. Work in small steps, and say what you do. ".repeat(910);

const FILES = 40;
const A_PROMPT = 25;

export interface Day {
  cwd: string;
  /** The user's prompt of a request, where it begins with one. */
  prompt(request: number): string | undefined;
  /** What the history has more of since the request before. */
  messages(request: number): Message[];
  /** What the host saw since then. */
  events(request: number): SessionEvent[];
  /** What others do meanwhile. */
  disturb(request: number): void;
  remove(): void;
}

export function createDay(): Day {
  const cwd = mkdtempSync(join(tmpdir(), "sotto-bench-day-"));
  mkdirSync(join(cwd, "src"));
  writeFileSync(
    join(cwd, "AGENTS.md"),
    "Run `npm test` before you finish. Use tabs. Say why, not what, in comments.\n",
  );
  const versions = Array.from({ length: FILES }, () => 0);
  const path = (file: number) => join(cwd, "src", `part-${file}.ts`);
  const content = (file: number) => `${source(file)}export const version${file} = ${versions[file]};\n`;
  const save = (file: number) => writeFileSync(path(file), content(file));
  for (let file = 0; file < FILES; file++) save(file);
  const prompt = (request: number) =>
    request % A_PROMPT === 0
      ? `Part ${request / A_PROMPT}: move the parser to the new reader, and keep the tests green.`
      : undefined;
  return {
    cwd,
    prompt,
    messages(request) {
      const asked = prompt(request);
      const before = request - 1;
      const answer: Message[] =
        request === 0
          ? []
          : [
              {
                role: "assistant",
                content: [words(before), ...(asked === undefined ? [call(before, path)] : [])],
              },
            ];
      const next = asked === undefined ? result(before, content) : { type: "text", text: asked };
      return [...answer, { role: "user", content: [next] }];
    },
    events(request) {
      const file = request % FILES;
      const of = request % A_PROMPT;
      const events: SessionEvent[] = [
        { type: "usage_reported", usedTokens: 15_000 + request * 400, totalTokens: 200_000 },
      ];
      if (request % 7 === 6) {
        versions[file] = (versions[file] ?? 0) + 1;
        save(file);
        events.push({ type: "file_written", path: path(file), content: content(file) });
      } else events.push({ type: "file_read", path: path(file), content: content(file) });
      if (of === 2 || of === 9 || of === 16 || of === 23)
        events.push({ type: "todos_written", items: todos((of - 2) / 7) });
      if (request % 60 === 10) events.push(started(request));
      if (request % 60 === 22) events.push(ended(request - 12));
      if (request % 40 === 20) events.push(diagnostics(path(file)));
      if (request === 130)
        events.push({ type: "prompt_queued", id: "q1", prompt: "By the way: keep the old reader for now." });
      if (request === 200) events.push({ type: "mode_changed", mode: "plan" });
      if (request === 212) events.push({ type: "mode_changed", mode: "normal" });
      return events;
    },
    disturb(request) {
      if (request % 30 !== 17) return;
      const file = (request - 5) % FILES;
      versions[file] = (versions[file] ?? 0) + 100;
      save(file);
    },
    remove: () => rmSync(cwd, { recursive: true }),
  };
}

function source(file: number): string {
  return Array.from({ length: 30 }, (_, line) => `export const value${file}x${line} = read(${line});\n`).join(
    "",
  );
}

function words(request: number) {
  return {
    type: "text",
    text: `Step ${request}: the reader gives tokens now; next I look at who calls it and what they expect.`,
  };
}

function call(request: number, path: (file: number) => string) {
  return {
    type: "tool_use",
    id: `call_${request}`,
    name: "Read",
    input: { file_path: path(request % FILES) },
  };
}

function result(request: number, content: (file: number) => string) {
  return { type: "tool_result", tool_use_id: `call_${request}`, content: content(request % FILES) };
}

function todos(done: number) {
  return ["Read the parser", "Write a test", "Move the callers"].map((item, index) => ({
    content: item,
    status:
      index < done
        ? ("completed" as const)
        : index === done
          ? ("in_progress" as const)
          : ("pending" as const),
  }));
}

function started(request: number): SessionEvent {
  return { type: "task_started", taskId: `b${request}`, taskType: "shell", description: "npm test" };
}

function ended(request: number): SessionEvent {
  return {
    type: "task_finished",
    taskId: `b${request}`,
    status: "completed",
    exitCode: 0,
    deltaSummary: "142 passed",
  };
}

function diagnostics(filePath: string): SessionEvent {
  const found = [{ message: "'value' is declared but never read.", severity: "Warning" as const, line: 12 }];
  return { type: "diagnostics_published", origin: "host", filePath, diagnostics: found };
}
