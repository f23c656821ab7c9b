// Tool calls that an earlier request had count once, whatever a client does to their ids; calls that are made again count again.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createMemoryStore, createSession, profiles, type Session } from "sotto";
import type { Dialect } from "sotto/extend";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forms, type IdOf, ids, type Message } from "../support/call-forms.ts";
import { runs } from "../support/runs.ts";

let cwd: string;
let path: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "sotto-calls-"));
  path = join(cwd, "a.txt");
});
afterEach(() => rmSync(cwd, { recursive: true }));

const step = fc.record({
  form: fc.constantFrom(...Object.keys(forms)),
  ids: fc.constantFrom(...Object.keys(ids)),
  /** A person writes the file before the request. */
  edits: fc.boolean(),
  /** The agent reads it in the answer. */
  reads: fc.boolean(),
  /** The client drops an exchange of the beginning. */
  slides: fc.boolean(),
  reopens: fc.boolean(),
});

test("AC-12 AC-51 whatever becomes of the ids of old calls, each change by somebody else is told once, and no other", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      const store = createMemoryStore();
      const open = () => createSession({ id: `s${count}`, cwd, home: cwd, store });
      count += 1;
      let session = open();
      let version = 0;
      const write = () => writeFileSync(path, `version ${++version} of the file\n`);
      write();
      // What the model has seen of it, and what stands at the beginning to be dropped.
      let seen: number | undefined;
      let hasRead = false;
      let history: Message[] = ["one", "two", "three"].flatMap((word): Message[] => [
        { role: "user", text: `Question ${word}.` },
        { role: "assistant", text: `Answer ${word}.` },
      ]);
      let spare = 3;
      history.push({ role: "user", text: "Begin." });
      for (const [at, one] of steps.entries()) {
        if (one.edits) write();
        if (one.slides && spare > 0) {
          spare -= 1;
          history = history.slice(2);
        }
        if (one.reopens) {
          await session.close();
          session = open();
        }
        const { dialect, write: body } = forms[one.form] as (typeof forms)[string];
        const turn = await session.turn({
          dialect: dialect as Dialect,
          body: body(history, ids[one.ids] as IdOf),
        });
        expect(turn.problem).toBeUndefined();
        const told = turn.reminders.filter(({ type }) => type === "edited_text_file").map(({ text }) => text);
        // What was read in the answer before counts as the file is now.
        if (hasRead) seen = version;
        const isDue = seen !== undefined && seen !== version;
        const newest = expect.stringContaining(`version ${version} of the file`);
        expect({ at, told }).toEqual({ at, told: isDue ? [newest] : [] });
        if (seen !== undefined) seen = version;
        await turn.commit();
        hasRead = one.reads;
        if (one.reads) {
          const output = `1\tversion ${version} of the file`;
          history.push({
            role: "assistant",
            call: { id: at, name: "Read", input: { file_path: path }, output },
          });
        }
        history.push({ role: "assistant", text: `Done ${at}.` }, { role: "user", text: `Next ${at}.` });
      }
      await session.close();
    }),
    runs(600),
  );
});

const stretch = fc.record({
  /** What becomes of the history before it. */
  cut: fc.constantFrom("none", "goes back", "compacted", "summarised", "drops the oldest"),
  /** What the agent does in each answer, and whether a person writes the file behind it. */
  answers: fc.array(fc.record({ does: fc.constantFrom("reads", "writes", "lists"), edits: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  reopens: fc.boolean(),
});

/** Servers that count calls anew in each answer. */
const counted: IdOf = () => "call_0";

test.each([
  ...Object.keys(forms).map((form) => [form, "counted anew in each answer", counted] as const),
  ["anthropic", "its own for each", ids.kept as IdOf] as const,
])("AC-12 AC-14 AC-51 new calls count behind a history that was cut: %s, ids %s", async (form, _, idOf) => {
  const { dialect, write: body } = forms[form] as (typeof forms)[string];
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(stretch, { minLength: 2, maxLength: 4 }), async (stretches) => {
      const store = createMemoryStore();
      const open = () =>
        createSession({
          ...{ id: `s${count}`, cwd, home: cwd, store, profile: profiles["claude-code"] },
          // What a summary says of files is another matter.
          config: {
            attachments: { edited_text_file: true, file: false, compact_file_reference: false },
          },
        });
      count += 1;
      let session = open();
      let [version, said, calls] = [0, 0, 0];
      const write = () => writeFileSync(path, `version ${++version}\n`);
      write();
      const word = () => `word ${++said}`;
      const user = (): Message => ({ role: "user", text: word() });
      const answer = (): Message => ({ role: "assistant", text: word() });
      const use = (name: string, input: Record<string, unknown>, output: string): Message => ({
        role: "assistant",
        call: { id: ++calls, name, input, output },
      });
      const ask = async (talk: readonly Message[]) => {
        const turn = await session.turn({ dialect: dialect as Dialect, body: body(talk, idOf) });
        expect(turn.problem).toBeUndefined();
        await turn.commit();
        return turn.reminders.filter(({ type }) => type === "edited_text_file").map(({ text }) => text);
      };
      // Two calls: only by them one sees that ids are counted anew.
      const looks = () => use("Grep", { pattern: word() }, "no matches");
      let history: Message[] = [user(), answer(), user(), looks(), looks()];
      await ask(history);
      for (const { cut, answers, reopens } of stretches) {
        if (reopens) {
          await session.close();
          session = open();
        }
        if (cut === "goes back") history = [...history.slice(0, 2), user()];
        if (cut === "compacted") await session.record({ type: "compacted" });
        if (cut === "compacted" || cut === "summarised") history = [user()];
        if (cut === "drops the oldest") history = [...history.slice(-3), answer(), user()];
        await ask(history);
        for (const { does, edits } of answers) {
          if (does === "reads") history.push(use("Read", { file_path: path }, `1\tversion ${version}`));
          if (does === "writes") {
            writeFileSync(path, "ours\n");
            history.push(use("Write", { file_path: path, content: "ours\n" }, "ok"));
          }
          if (does === "lists") {
            const todos = [{ content: `todo ${calls}`, status: "pending", activeForm: "x" }];
            history.push(use("TodoWrite", { todos }, "ok"));
          }
          const blamed = await ask(history);
          if (does !== "lists") expect(blamed).toEqual([]);
          else
            expect((await session.state()).todos.map(({ content }) => content)).toEqual([
              `todo ${calls - 1}`,
            ]);
          history.push(answer(), user());
          if (!edits) continue;
          write();
          const told = await ask(history);
          if (does !== "lists") expect(told).toEqual([expect.stringContaining(`version ${version}`)]);
        }
      }
      await session.close();
    }),
    runs(100),
  );
});

const request = fc.record({
  /** How an earlier try of it ended, if there was one, and whether a person wrote the file behind that. */
  tries: fc.array(fc.record({ end: fc.constantFrom("fails", "is lost", "commits"), edits: fc.boolean() }), {
    maxLength: 2,
  }),
  edits: fc.boolean(),
  reads: fc.boolean(),
  tells: fc.boolean(),
  /** The user writes the last prompt anew. */
  rewords: fc.boolean(),
});

test.each(Object.keys(forms).filter((form) => form !== "gemini"))(
  "AC-12 AC-37 AC-51 ids that are new in each request, also when it is tried again, hide and move nothing: %s",
  async (form) => {
    const { dialect, write: body } = forms[form] as (typeof forms)[string];
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 6 }), async (requests) => {
        const session = createSession({ cwd, home: cwd, store: createMemoryStore() });
        let [version, said, sent] = [0, 0, 0];
        const write = () => writeFileSync(path, `version ${++version} of the file\n`);
        write();
        const word = () => `<w${++said}>`;
        const history: Message[] = [{ role: "user", text: word() }];
        const letters: string[] = [];
        let before: string[] = [];
        let known: number | undefined;
        const ask = async () => {
          const nth = ++sent;
          const turn = await session.turn({
            dialect: dialect as Dialect,
            body: body(history, (id) => `r${nth}_${id}`),
          });
          const text = JSON.stringify(turn.body);
          // What stands in it, in order: the client's words, what was read, letters, and changes.
          const marks = text.match(/<[wl]\d+>|[+\t] ?version \d+ of|\\tversion \d+ of/gu) ?? [];
          expect(marks.filter((mark) => mark.startsWith("<l")).toSorted()).toEqual(letters.toSorted());
          if (known !== undefined) {
            const last = marks.findLast((mark) => mark.includes("version"));
            expect({ nth, last: last?.match(/\d+/u)?.[0] }).toEqual({ nth, last: String(version) });
            known = version;
          }
          return { turn, marks };
        };
        for (const [at, { tries, edits, reads, tells, rewords }] of requests.entries()) {
          if (tells) {
            letters.push(`<l${at}>`);
            await session.record({ type: "prompt_queued", id: `${at}`, prompt: `<l${at}>` });
          }
          for (const { end, edits } of tries) {
            const { turn } = await ask();
            if (end === "fails") await turn.abandon();
            if (end === "commits") await turn.commit();
            if (edits) write();
          }
          if (edits) write();
          const { turn, marks } = await ask();
          await turn.commit();
          expect(marks.slice(0, before.length)).toEqual(before);
          before = marks;
          if (reads) {
            const output = `1\tversion ${version} of the file`;
            history.push({
              role: "assistant",
              call: { id: at, name: "Read", input: { file_path: path }, output },
            });
            known = version;
          } else history.push({ role: "assistant", text: word() }, { role: "user", text: word() });
          // A file counts as read as it is when a request shows that.
          const again = await ask();
          await again.turn.commit();
          before = again.marks;
          if (!rewords || reads) continue;
          history[history.length - 1] = { role: "user", text: word() };
          before = before.slice(
            0,
            before.findLastIndex((mark) => mark.startsWith("<w")),
          );
        }
        await session.close();
      }),
      runs(100),
    );
  },
);

describe("a call that is made again counts again", () => {
  const read = (id: number): Message => ({
    role: "assistant",
    call: { id, name: "Read", input: { file_path: path }, output: "1\told" },
  });
  const ask = async (session: Session, name: string, history: readonly Message[]) => {
    const { dialect, write } = forms[name] as (typeof forms)[string];
    const turn = await session.turn({
      dialect: dialect as Dialect,
      body: write(history, ids.kept as IdOf),
    });
    await turn.commit();
    return turn.reminders.map(({ type }) => type);
  };
  const says = (text: string): Message => ({ role: "user", text });
  const answers = (text: string): Message => ({ role: "assistant", text });

  test.each(Object.keys(forms))("AC-40 behind a rewind, with its id or another: %s", async (form) => {
    for (const id of [1, 2]) {
      writeFileSync(path, "old\n");
      const session = createSession({ cwd, home: cwd });
      await ask(session, form, [says("go")]);
      await ask(session, form, [says("go"), read(1), answers("read"), says("next")]);
      await ask(session, form, [says("go"), read(1), answers("read"), says("next"), answers("x"), says("y")]);
      await session.record({ type: "rewound", toTurn: 0 });
      const again = [says("go"), read(id), answers("read"), says("other")];
      await ask(session, form, again);
      writeFileSync(path, "new\n");
      expect(await ask(session, form, [...again, answers("x"), says("y")])).toContain("edited_text_file");
      await session.close();
    }
  });

  test.each(Object.keys(forms))("behind a conversation that was cleared: %s", async (form) => {
    writeFileSync(path, "old\n");
    const session = createSession({ cwd, home: cwd });
    const talk = [says("go"), read(1), answers("read"), says("next")];
    await ask(session, form, talk);
    await session.record({ type: "session_started", reason: "clear" });
    await ask(session, form, [says("hello"), ...talk.slice(1)]);
    writeFileSync(path, "new\n");
    const more = [says("hello"), ...talk.slice(1), answers("x"), says("y")];
    expect(await ask(session, form, more)).toContain("edited_text_file");
    await session.close();
  });

  test.each(Object.keys(forms))(
    "not by a sub-agent that begins with its parent's history: %s",
    async (form) => {
      writeFileSync(path, "old\n");
      const profile = profiles["claude-code"];
      const session = createSession({
        cwd,
        home: cwd,
        profile,
        config: { attachments: { plan_mode: true, edited_text_file: true } },
      });
      const plan: Message = {
        role: "assistant",
        call: { id: 2, name: "EnterPlanMode", input: {}, output: "ok" },
      };
      const talk = [says("go"), read(1), plan, answers("read"), says("next")];
      await ask(session, form, talk);
      await session.record({ type: "mode_changed", mode: "normal" });
      await ask(session, form, [...talk, answers("x"), says("y")]);
      writeFileSync(path, "new\n");
      const agent = await session.subagent({ agentType: "fork" });
      const own = [...talk, says("You are a fork.")];
      const heard = [
        ...(await ask(agent, form, own)),
        ...(await ask(agent, form, [...own, answers("x"), says("y")])),
      ];
      expect(heard.filter((type) => type === "edited_text_file")).toHaveLength(1);
      expect(heard).not.toContain("plan_mode");
      expect((await agent.state()).mode).toBe("normal");
      await session.close();
    },
  );
});
