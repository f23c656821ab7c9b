// Sessions played turn by turn, and what they say at each.

import { createSession, type Session, type SessionEvent, type SessionOptions, type Turn } from "sotto";

// However busy the machine is: what a turn may take is tested where it is the point.
const PATIENT_MS = 60_000;

export function openSession({ config, ...options }: Partial<SessionOptions> = {}): Session {
  return createSession({
    cwd: "/repo",
    agent: { kind: "main" },
    ...options,
    config: { timeout_ms: PATIENT_MS, ...config },
  });
}

/** A turn that the model answers: asked, committed, one assistant message more. */
export async function answered(session: Session): Promise<Turn> {
  const turn = await session.turn();
  await turn.commit();
  await session.record({ type: "assistant_turn" });
  return turn;
}

/** How many assistant messages there had been whenever a type was said, over so many turns from now. */
export async function turnsThatSay(session: Session, type: string, turns: number): Promise<number[]> {
  const said: number[] = [];
  for (let before = 0; before < turns; before++) if (says(await answered(session), type)) said.push(before);
  return said;
}

export function says(turn: Turn, type: string): boolean {
  return turn.reminders.some((reminder) => reminder.type === type);
}

export function textOf(turn: Turn, type: string): string | undefined {
  return turn.reminders.find((reminder) => reminder.type === type)?.text;
}

/** What became of a type, as `outcome: reason`. */
export function outcomeOf(turn: Turn, type: string): string {
  const entry = turn.trace.find((one) => one.type === type);
  return entry === undefined ? "not in the trace" : `${entry.outcome}: ${entry.reason}`;
}

export type Step = SessionEvent | "turn" | "lost turn";

/**
 * A script turn by turn: events are recorded, `turn` is answered by the model, a `lost turn` is abandoned. Each turn
 * is told as what it said.
 */
export async function story(session: Session, script: readonly Step[]): Promise<string> {
  const lines: string[] = [];
  for (const step of script)
    if (step === "turn" || step === "lost turn") {
      const turn = await session.turn();
      const texts = turn.reminders.map(({ type, text }) => `  ${type}: ${inside(text)}`);
      lines.push(`${step}${texts.length === 0 ? ": nothing" : ""}`, ...texts);
      if (step === "turn") {
        await turn.commit();
        await session.record({ type: "assistant_turn" });
      } else await turn.abandon();
    } else {
      await session.record(step);
      lines.push(`> ${toldAs(step)}`);
    }
  return lines.join("\n");
}

function toldAs({ type, ...fields }: SessionEvent): string {
  const told = JSON.stringify(fields);
  return told === "{}" ? type : `${type} ${told.length > 160 ? `${told.slice(0, 160)}…` : told}`;
}

function inside(text: string): string {
  const body = text.replace(/^<system-reminder>\n|\n<\/system-reminder>$/gu, "").replaceAll("\n", "⏎");
  return body.length > 200 ? `${body.slice(0, 200)}…` : body;
}
