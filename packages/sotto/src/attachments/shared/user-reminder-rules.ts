// Whether to send a user-defined reminder now: its restrictions, its occasions, its lifetime.

import type { Moment } from "../../facts/activity.ts";
import type { Facts } from "../../facts/facts.ts";
import type { UserReminders } from "../../facts/user-reminders.ts";
import type { SentAbout } from "../attachment.ts";

type UsedFacts = Pick<Facts, "activity" | "reminderFiles" | "turns" | "mode" | "agent">;
type Reminder = UserReminders["reminders"][number];

/** Why it comes, or what it waits for. */
export type Verdict = { comes: string } | { waits: string };

/** Something that starts a reminder. */
interface Occasion extends Moment {
  what: string;
}

// An occasion that could not be used for this many turns is over: the agent has moved on.
const OCCASION_TURNS = 3;

export function judgeReminder(reminder: Reminder, sent: SentAbout<unknown>, facts: UsedFacts): Verdict {
  const barred = whyBarred(reminder, sent, facts);
  if (barred !== undefined) return { waits: barred };
  const { last, total = 0 } = sent;
  const { lifetime, path } = reminder;
  const rhythm = rhythmOf(reminder, sent, facts);
  if (lifetime !== "turn" && total > 0) {
    if (last === undefined) return { comes: `in force for lifetime ${lifetime}, and no longer in view` };
    const changed = (facts.reminderFiles.versions[path]?.changedAt ?? 0) > last.seq;
    if (lifetime === "until_changed" && changed) return { comes: "its file has changed since it was sent" };
    if ("comes" in rhythm) return rhythm;
    return { waits: `sent in turn ${last.turn}, in view for lifetime ${lifetime}` };
  }
  const occasions = occasionsOf(reminder, facts.activity);
  const fresh = occasions.filter(({ seq }) => last === undefined || seq > last.seq);
  const { assistant } = facts.turns;
  const latest = fresh.findLast(({ turns }) => assistant - turns <= OCCASION_TURNS);
  if (latest !== undefined) return { comes: latest.what };
  if ("comes" in rhythm) return rhythm;
  return { waits: [...whyNoOccasion(reminder, occasions, sent, assistant), ...words(rhythm)].join(", ") };
}

function whyBarred(
  { modes, agents, max_per_session: most }: Reminder,
  { total = 0 }: SentAbout<unknown>,
  { mode, agent }: UsedFacts,
): string | undefined {
  if (modes !== undefined && !modes.includes(mode.name))
    return `only in mode ${modes.join(", ")}, the mode is ${mode.name}`;
  if (agents !== undefined && !agents.some((name) => name === agent.kind || name === agent.type))
    return `only for agent ${agents.join(", ")}, this is ${agent.type ?? agent.kind}`;
  if (most !== undefined && total >= most) return `sent ${total} of at most ${most} times in this session`;
  return undefined;
}

/** Oldest first. */
function occasionsOf(reminder: Reminder, activity: UsedFacts["activity"]): Occasion[] {
  const { matched, after_tools: tools = [], on = [] } = reminder;
  const by = new Map(matched.map((one) => [one.path, one.by]));
  const touched = activity.touched.flatMap((one) =>
    by.has(one.path) ? [{ ...one, what: `${one.path} matches ${by.get(one.path)}` }] : [],
  );
  const finished = activity.tools.flatMap((one) =>
    tools.includes(one.toolName) ? [{ ...one, what: `${one.toolName} finished` }] : [],
  );
  const { started, compacted } = activity;
  // These stay occasions until the view starts again, however long the history is.
  const since = { turns: Number.POSITIVE_INFINITY };
  const began = on.includes("session_start") && started !== undefined;
  const anew = on.includes("compacted") && compacted !== undefined;
  const occasions = [
    ...(began ? [{ ...started, ...since, what: "the session has started" }] : []),
    ...(anew ? [{ ...compacted, ...since, what: "the conversation was compacted" }] : []),
    ...touched,
    ...finished,
  ];
  return occasions.sort((a, b) => a.seq - b.seq);
}

function whyNoOccasion(
  { paths, after_tools: tools, on }: Reminder,
  occasions: readonly Occasion[],
  { last }: SentAbout<unknown>,
  assistant: number,
): string[] {
  const latest = occasions.at(-1);
  if (latest !== undefined && last !== undefined && latest.seq < last.seq)
    return [`sent in turn ${last.turn}, nothing new since`];
  if (latest !== undefined)
    return [`${latest.what}, but ${assistant - latest.turns} turns ago, at most ${OCCASION_TURNS}`];
  return [
    ...(paths === undefined ? [] : [`no path was touched that matches ${paths.slice(0, 3).join(", ")}`]),
    ...(tools === undefined ? [] : [`no ${tools.slice(0, 3).join(", ")} has finished`]),
    ...(on === undefined ? [] : [`no ${on.join(" or ")} since`]),
  ];
}

/** Counted from when it was last sent, or from the start of the view. */
function rhythmOf(
  { every_turns: every }: Reminder,
  { last }: SentAbout<unknown>,
  { activity, turns }: UsedFacts,
): { comes: string } | { waits?: string } {
  if (every === undefined) return {};
  const since = last?.assistantTurns ?? activity.compacted?.turns ?? 0;
  const passed = `${Math.max(0, turns.assistant - since)} of ${every} turns`;
  return turns.assistant - since >= every ? { comes: passed } : { waits: passed };
}

function words({ waits }: { waits?: string }): string[] {
  return waits === undefined ? [] : [waits];
}
