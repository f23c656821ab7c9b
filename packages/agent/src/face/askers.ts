// Asks the user at the terminal. Shows everything the question is about, or says how much is left out.

import type { Asker } from "../agent-events.ts";
import type { Style } from "../terminal/style.ts";
import { count, fold, safeLine, safeText } from "../terminal/text.ts";
import { callName } from "./event-line.ts";
import type { Terminal } from "./terminal.ts";

export interface TerminalAskerOptions {
  terminal: Pick<Terminal, "ask">;
  style: Style;
  width: number;
}

const TITLE_ROWS = 10;
const DETAIL_ROWS = 40;
const PLAN_ROWS = 400;
// Some terminals report no columns at all.
const LEAST_WIDTH = 20;
// After this many unclear answers, there is none.
const TRIES = 3;

export const NO_ANSWER = "(no answer)";

export function createTerminalAsker({ terminal, style, width }: TerminalAskerOptions): Asker {
  const rows = (text: string, limit: number, paint: RowPaint = (row) => row) => {
    const folded = fold(safeText(text).trimEnd(), {
      width: Math.max(LEAST_WIDTH, width) - MARGIN.length,
      limit,
    });
    const left = folded.left === "" ? [] : [style.warn(`${MARGIN}… ${leftWords(folded.left)} not shown`)];
    return [...folded.rows.map((row) => MARGIN + paint(row.text, row.isStart)), ...left];
  };
  const heading = (text: string) => {
    const [first = "", ...more] = rows(text, TITLE_ROWS, (row) => style.bold(row));
    return [`${style.warn("?")}${first.slice(1)}`, ...more];
  };

  /** Asks until `read` understands the answer. */
  async function ask<Answer>(
    body: readonly string[],
    prompt: string,
    read: (answer: string) => Answer | undefined,
  ): Promise<Answer | undefined> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const answer = await terminal.ask({
        body: attempt === 0 ? body.map((row) => `${row}\n`).join("") : "",
        prompt: `${MARGIN}${prompt} ${style.accent("›")} `,
      });
      if (answer === undefined) return undefined;
      const meant = read(answer.trim());
      if (meant !== undefined) return meant;
    }
    return undefined;
  }

  return {
    async permit({ toolName, title, detail = "" }) {
      const body = [
        ...heading(callName(toolName, title)),
        ...rows(detail, DETAIL_ROWS, (row, isStart) => diffRow(row, isStart, style)),
      ];
      return (await ask(body, "Allow? yes, no, always", readPermit)) ?? "no";
    },
    async choose(question, options) {
      const listed = options.flatMap(({ label, description = "" }, index) =>
        rows(`${index + 1}. ${label}${description === "" ? "" : `: ${description}`}`, TITLE_ROWS),
      );
      const prompt = options.length === 0 ? "Your answer" : "Number, or your own answer";
      const labels = options.map(({ label }) => label);
      return (await ask([...heading(question), ...listed], prompt, readChoice(labels))) ?? NO_ANSWER;
    },
    async approvePlan(plan, path) {
      const body = [...heading(path === undefined ? "Plan" : `Plan (${path})`), ...rows(plan, PLAN_ROWS)];
      const answer = await ask(body, "Approve? yes, no, or what to change", readApproval);
      return answer ?? { approved: false };
    },
  };
}

type RowPaint = (row: string, isStart: boolean) => string;

const MARGIN = "  ";
const YES = /^y(?:es)?$/iu;
const NO = /^no?$/iu;

function readPermit(answer: string): "yes" | "no" | "always" | undefined {
  if (YES.test(answer)) return "yes";
  if (NO.test(answer)) return "no";
  return /^a(?:lways)?$/iu.test(answer) ? "always" : undefined;
}

function readChoice(labels: readonly string[]): (answer: string) => string | undefined {
  return (answer) => {
    if (answer === "") return undefined;
    return (/^\d+$/u.test(answer) ? labels[Number(answer) - 1] : undefined) ?? answer;
  };
}

function readApproval(answer: string): { approved: boolean; feedback?: string } | undefined {
  if (answer === "") return undefined;
  if (YES.test(answer)) return { approved: true };
  return NO.test(answer) ? { approved: false } : { approved: false, feedback: answer };
}

function diffRow(row: string, isStart: boolean, style: Style): string {
  if (isStart && row.startsWith("+")) return style.good(row);
  return isStart && row.startsWith("-") ? style.bad(row) : row;
}

function leftWords(left: string): string {
  return `${count(left.split("\n").length, "line")} (${count(left.length, "character")})`;
}

// Without a user, the answer is what was allowed in advance, otherwise no, with a hint how to allow it.

export interface DenyAskerOptions {
  /** Prints why a call was refused; the model learns it from the tool result. */
  say?: (reason: string) => void;
  /** Whether the user allowed a tool in advance. */
  allows?: (toolName: string) => boolean;
}

const NOBODY = "There is nobody to ask";
const LONGEST_REASON = 300;

export function createDenyAsker({ say, allows = () => false }: DenyAskerOptions = {}): Asker {
  return {
    async permit({ toolName, title, allowedBy }) {
      if (toolName === "EnterPlanMode" && allows(toolName)) return "yes";
      const call = safeLine(callName(toolName, title), LONGEST_REASON);
      const how = allowedBy ?? `--allow ${safeLine(toolName, 60)} or another --permission-mode`;
      say?.(`refused: ${call}. ${NOBODY}; to allow it, start with ${how}.`);
      return "nobody";
    },
    async choose(question) {
      say?.(`${NOBODY}: ${safeLine(question, LONGEST_REASON)}`);
      return `${NOBODY}. Decide yourself, and say what you assumed.`;
    },
    async approvePlan() {
      if (allows("ExitPlanMode")) return { approved: true, nobody: true };
      say?.(
        `${NOBODY}, so the plan was not approved. To work without approval, start with --allow ExitPlanMode or --permission-mode all.`,
      );
      return { approved: false, nobody: true };
    },
  };
}
