// A sub-agent that begins with its parent's history knows of each file what stands in its own first request. It is told what
// differs, whether its parent was told of it or not, and nothing that is there already.

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createMemoryStore, createSession, profiles, type Session, type Turn } from "sotto";
import type { Dialect } from "sotto/extend";
import { afterEach, beforeEach, expect, test } from "vitest";
import { forms, type IdOf, ids, type Message } from "../support/call-forms.ts";
import { runs } from "../support/runs.ts";

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-parent-")));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const FILES = ["a.txt", "b.txt", "c.txt"];
const file = fc.constantFrom(...FILES);
const changed = fc.uniqueArray(file, { maxLength: 2 });

const round = fc.record({
  /** Somebody else writes these before the request. */
  changes: changed,
  /** The user mentions it. */
  mentions: fc.option(file, { freq: 6 }),
  /** What the agent does in its answer. */
  does: fc.option(fc.record({ kind: fc.constantFrom("Read", "Read", "Write", "Edit"), file }), { freq: 4 }),
  commits: fc.boolean(),
});

const life = fc.record({
  form: fc.constantFrom(...Object.keys(forms)),
  /** Calls are read from requests, with or without a profile, or the host records what its tools do. */
  host: fc.constantFrom("requests", "profile", "records"),
  rounds: fc.array(round, { minLength: 2, maxLength: 8, size: "max" }),
  /** With so many rounds less the sub-agent begins. */
  less: fc.constantFrom(0, 0, 0, 1, 3),
  /** The client keeps reminders in its history. */
  keeps: fc.boolean(),
  renames: fc.boolean(),
  parentReopens: fc.boolean(),
  childReopens: fc.boolean(),
  late: changed,
  later: changed,
});

test("AC-11 what a parent was told is told to a sub-agent that has its history without it, once", async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ form, host, rounds, less, keeps, ...how }) => {
      const { dialect, write } = forms[form] as (typeof forms)[string];
      const store = createMemoryStore();
      const open = () =>
        createSession({
          id: "parent",
          store,
          cwd,
          home: cwd,
          configFiles: { read: false },
          ...(host === "profile" ? { profile: profiles["claude-code"] } : {}),
          config: {
            timeout_ms: 60_000,
            max_tokens_per_turn: 1_000_000,
            attachments: { edited_text_file: true, at_mentioned_files: true },
          },
        });
      let count = 0;
      const disk = new Map<string, number>();
      const change = (name: string) => {
        disk.set(name, ++count);
        writeFileSync(join(cwd, name), textOf(count));
      };
      FILES.forEach(change);
      const list = (body: object) => (body as Record<string, unknown[]>)[dialect.field] as unknown[];
      const body = (messages: unknown[]) => ({ [dialect.field]: messages });
      const written = (messages: readonly Message[], idOf: IdOf = ids.kept as IdOf) =>
        list(write(messages, idOf));
      const ask = async (session: Session, messages: unknown[], commits = true) => {
        const turn = await session.turn({ dialect: dialect as Dialect, body: body(messages) });
        expect(turn.problem).toBeUndefined();
        if (commits) await turn.commit();
        return turn;
      };
      const toldIn = ({ reminders }: Turn, name: string) =>
        reminders.some(
          ({ text }) => text.includes(name) && text.includes(`version ${disk.get(name)} of the file`),
        );

      let parent = open();
      const history: Message[] = [];
      const shown = new Map<string, number>();
      const known = new Map<string, number>();
      // What the sub-agent's history may be: after each round, with and without reminders.
      const beginnings: { sent: unknown[]; said: number; shown: Map<string, number> }[] = [];
      const told = new Map<string, number>();
      for (const [at, { changes, mentions, does, commits }] of rounds.entries()) {
        changes.forEach(change);
        history.push({
          role: "user",
          text: mentions === null ? `Go on ${at}.` : `Look at @${mentions} ${at}.`,
        });
        const before = beginnings.at(-1);
        const said = written(history.slice(before?.said ?? 0));
        const turn = await ask(
          parent,
          keeps ? [...(before?.sent ?? []), ...said] : written(history),
          commits || at === rounds.length - 1,
        );
        for (const name of FILES)
          if (toldIn(turn, name)) {
            told.set(name, disk.get(name) as number);
            known.set(name, disk.get(name) as number);
          }
        const isStale = does?.kind === "Edit" && known.get(does.file) !== disk.get(does.file);
        if (does !== null && !isStale) {
          const path = join(cwd, does.file);
          const old = disk.get(does.file) as number;
          if (does.kind !== "Read") change(does.file);
          const now = disk.get(does.file) as number;
          const input = {
            Read: {},
            Write: { content: textOf(now) },
            Edit: { old_string: `version ${old} of`, new_string: `version ${now} of` },
          }[does.kind];
          const output = does.kind === "Read" ? textOf(now) : "done";
          const call = { id: at, name: does.kind, input: { file_path: path, ...input }, output };
          history.push({ role: "assistant", call });
          if (host === "records")
            await parent.record({ type: does.kind === "Read" ? "file_read" : "file_written", path });
          told.delete(does.file);
          shown.set(does.file, now);
          known.set(does.file, now);
          const sent = keeps ? list(turn.body as object) : [];
          await ask(parent, keeps ? [...sent, ...written([{ role: "assistant", call }])] : written(history));
        }
        history.push({ role: "assistant", text: `Done ${at}.` });
        const from = keeps ? list(turn.body as object) : [];
        const rest = history.slice(
          history.findLastIndex(({ role, call }) => role === "user" && call === undefined) + 1,
        );
        beginnings.push({
          sent: keeps ? [...from, ...written(rest)] : [],
          said: history.length,
          shown: new Map(keeps ? [...shown, ...told] : shown),
        });
      }
      if (how.parentReopens) {
        await parent.close();
        parent = open();
      }
      how.late.forEach(change);

      // Where nothing says which call it was, all that the parent did counts.
      const kept = host === "records" ? 0 : Math.min(less, rounds.length - 1);
      const beginning = beginnings.at(-1 - kept) as (typeof beginnings)[number];
      const idOf = (how.renames && kept === 0 ? ids.changed : ids.kept) as IdOf;
      const task: Message = { role: "user", text: "You are a sub-agent." };
      let own = keeps ? beginning.sent : written(history.slice(0, beginning.said), idOf);
      const start = () => parent.subagent({ agentType: "worker", id: "child" });
      let child = start();
      const go = async (message: Message) => {
        own = [...own, ...written([message])];
        const turn = await ask(child, own);
        own = [...own, ...written([{ role: "assistant", text: "Well." }])];
        return FILES.filter(
          (name) => beginning.shown.has(name) && turn.reminders.some(({ text }) => text.includes(name)),
        ).map((name) => (toldIn(turn, name) ? name : `${name}, but not as it is`));
      };
      const due = FILES.filter(
        (name) => beginning.shown.has(name) && beginning.shown.get(name) !== disk.get(name),
      );
      expect(await go(task)).toEqual(due);
      if (how.childReopens) {
        await child.close();
        child = start();
      }
      how.later.forEach(change);
      const changedLater = FILES.filter((name) => how.later.includes(name) && beginning.shown.has(name));
      expect(await go({ role: "user", text: "And?" })).toEqual(changedLater);
      expect(await go({ role: "user", text: "And now?" })).toEqual([]);
      await parent.close();
    }),
    runs(600),
  );
});

function textOf(version: number): string {
  return `first line\nversion ${version} of the file\nlast line\n`;
}
