// What of the user's own would leave the machine, in reminders: with `sotto run` and hooks, and with an embedded session.

import { readdir } from "node:fs/promises";
import { configFor, hooksFor, memoryFor, remindersFor, sessionMemoryPlace, skillsFor } from "sotto";
import { count } from "../../../agent/src/terminal/text.ts";
import { stateDirectory } from "../../../sotto/src/platform/user-directories-of-sessions.ts";
import type { Check } from "./finding.ts";

export const checkPrivate: Check = async ({ cwd }) => {
  const [mine, bare] = await Promise.all([readFor(cwd, true), readFor(cwd, false)]);
  const own = mine.flatMap(({ amount, one, many }, index) => {
    const more = amount - (bare[index]?.amount ?? 0);
    return more > 0 ? [count(more, one, many)] : [];
  });
  const notes = await notesOf(cwd);
  if (notes > 0) own.push(`${count(notes, "note")} of earlier sessions`);
  const sent = own.length === 0 ? "nothing of yours from outside this project" : own.join(", ");
  const words = `sotto run, hooks and pi send ${sent}; a session in your own code sends none of it unless it asks for instructions: { user: true } or pastSessions: true`;
  return [{ about: "private", status: "ok", words }];
};

interface Amount {
  amount: number;
  one: string;
  many: string;
}

/** How much there is with the user's own, or without. */
async function readFor(cwd: string, user: boolean): Promise<Amount[]> {
  const options = { cwd, instructions: { user } };
  const [{ loaded }, { reminders, templates }, { skills }, { hooks }, { config }] = await Promise.all([
    memoryFor(options),
    remindersFor({ ...options, isTrusted: () => true }),
    skillsFor(options),
    hooksFor(options),
    configFor(options),
  ]);
  const words = config.critical_instruction === undefined ? 0 : 1;
  return [
    { amount: loaded.length, one: "instruction file", many: "instruction files" },
    { amount: reminders.length, one: "reminder", many: "reminders" },
    { amount: templates.length, one: "template", many: "templates" },
    { amount: skills.length, one: "skill", many: "skills" },
    { amount: hooks.length, one: "hook's answers", many: "hooks' answers" },
    { amount: words, one: "critical instruction", many: "critical instructions" },
  ];
}

async function notesOf(cwd: string): Promise<number> {
  const names = await readdir(sessionMemoryPlace(stateDirectory(), cwd)).catch(() => []);
  return names.filter((name) => name.endsWith(".md")).length;
}
