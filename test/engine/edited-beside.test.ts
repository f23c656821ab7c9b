// Somebody changes a file while the agent edits another part of it: the agent hears of that change, once, and of nothing else.

import { symlinkSync } from "node:fs";
import fc from "fast-check";
import { anthropicMessages, profiles, type SessionEvent } from "sotto";
import { expect, test } from "vitest";
import { createFileWorld, openIn } from "../support/file-world.ts";
import { runs } from "../support/runs.ts";

const LINES = 30;
const lines = Array.from({ length: LINES }, (_, index) => `line ${String(index + 1).padStart(2, "0")}`);
const FILE = "a.txt";

/** By the number of a line: the lines that stand there instead. */
type Changes = ReadonlyMap<number, readonly string[]>;

const textWith = (...changes: readonly Changes[]) =>
  lines
    .flatMap((line, index) => changes.map((one) => one.get(index)).find((one) => one !== undefined) ?? [line])
    .map((line) => `${line}\n`)
    .join("");

interface Use {
  name: string;
  input: unknown;
}

const inText = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
const parts = (own: Changes) =>
  [...own].map(([index, by]) => ({ old: inText([lines[index] ?? ""]), new: inText(by) }));
const patchFor = (path: string, own: Changes) => {
  const hunks = [...own].flatMap(([index, by]) => [
    ...(by.length === 0 ? ["@@"] : ["@@", ` ${lines[index - 1]}`]),
    ...(by[0] === lines[index]
      ? by.map((line, at) => `${at === 0 ? " " : "+"}${line}`)
      : [`-${lines[index]}`, ...by.map((line) => `+${line}`)]),
  ]);
  return `*** Begin Patch\n*** Update File: ${path}\n${hunks.join("\n")}\n*** End Patch`;
};

/** The same edits in the words of different tools. */
const tools: Record<string, (path: string, own: Changes) => Use[]> = {
  Edit: (path, own) =>
    parts(own).map((part) => ({
      name: "Edit",
      input: { file_path: path, old_string: part.old, new_string: part.new },
    })),
  // It removes the end of a line of which nothing is left, and blanks at the ends of lines.
  tidyEdit: (path, own) =>
    parts(own).map((part) => ({
      name: "Edit",
      input: {
        file_path: path,
        old_string: part.old.slice(0, -1),
        new_string: part.new.slice(0, -1).replaceAll(/$/gmu, part.new === "" ? "" : "  "),
      },
    })),
  MultiEdit: (path, own) => [
    {
      name: "MultiEdit",
      input: {
        file_path: path,
        edits: parts(own).map((part) => ({ old_string: part.old, new_string: part.new })),
      },
    },
  ],
  Write: (path, own) => [{ name: "Write", input: { file_path: path, content: textWith(own) } }],
  apply_patch: (path, own) => [{ name: "apply_patch", input: { input: patchFor(path, own) } }],
  patches: (path, own) =>
    [...own].map((one) => ({ name: "apply_patch", input: { patch: patchFor(path, new Map([one])) } })),
  // A patch through a shell.
  shell: (path, own) => [{ name: "shell", input: { command: ["apply_patch", patchFor(path, own)] } }],
  shellDocument: (path, own) => [
    { name: "shell", input: { command: `apply_patch <<'EOF'\n${patchFor(path, own)}\nEOF` } },
  ],
  replace: (path, own) =>
    parts(own).map((part) => ({
      name: "replace",
      input: { file_path: path, old_string: part.old, new_string: part.new, allow_multiple: true },
    })),
  // From the last to the first, as what is put in moves the lines behind it.
  insert: (path, own) =>
    [...own].reverse().flatMap(([index, [first, ...more]]) => {
      const command = { command: "str_replace", path, old_str: `${lines[index]}\n` };
      const isKept = first === lines[index];
      return [
        ...(isKept
          ? []
          : [
              {
                name: "str_replace_based_edit_tool",
                input: { ...command, new_str: first ? `${first}\n` : "" },
              },
            ]),
        ...(more.length === 0
          ? []
          : [
              {
                name: "str_replace_based_edit_tool",
                input: { command: "insert", path, insert_line: index + 1, insert_text: inText(more) },
              },
            ]),
      ];
    }),
};

// Apart from each other, and neither the first line nor the last.
const place = fc.integer({ min: 1, max: LINES / 2 - 2 });
const changes = fc.record({
  tool: fc.constantFrom(...Object.keys(tools)),
  own: fc.uniqueArray(place, { minLength: 1, maxLength: 3 }),
  /** Whether a line is replaced, by one or by two, removed, or kept with another one behind it. */
  how: fc.constantFrom("one", "two", "none", "more"),
  profile: fc.constantFrom(undefined, "codex", "gemini-cli"),
  others: fc.uniqueArray(place, { maxLength: 3 }),
  /** Whether the other one saves first. */
  isBefore: fc.boolean(),
  ending: fc.constantFrom("\n", "\r\n"),
});

test("AC-12 AC-48 what others change beside an edit is told once, and the edit is not", async () => {
  const property = fc.asyncProperty(
    changes,
    async ({ tool, own, how, profile, others, isBefore, ending }) => {
      const world = createFileWorld();
      const session = openIn(world, profile === undefined ? {} : { profile: profiles[profile] });
      // The agent's are lines with odd numbers, the others' lines with even ones.
      const now = (index: number) =>
        ({
          one: [`agent ${index}`],
          two: [`agent ${index}`, `agent 10${index}`],
          none: [],
          more: [lines[index * 2] ?? "", `agent ${index}`],
        })[how];
      const agents: Changes = new Map(own.sort((a, b) => a - b).map((index) => [index * 2, now(index)]));
      // A text that is written as a whole leaves nothing of what was there before.
      const isOver = isBefore && tool === "Write";
      const theirs: Changes = new Map(others.map((index) => [index * 2 + 1, [`person ${index}`]]));
      const write = (text: string) => world.write(FILE, text.replaceAll("\n", ending));
      const messages: unknown[] = [{ role: "user", content: "Go on." }];
      let calls = 0;
      const did = (uses: readonly Use[]) => {
        const ids = uses.map(() => `c${calls++}`);
        messages.push(
          {
            role: "assistant",
            content: uses.map((use, index) => ({ type: "tool_use", id: ids[index], ...use })),
          },
          {
            role: "user",
            content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" })),
          },
        );
      };
      const heard = async () => {
        const body = { model: "m", max_tokens: 1, messages: structuredClone(messages) };
        const turn = await session.turn({ dialect: anthropicMessages, body: body as never });
        await turn.commit();
        messages.push({ role: "assistant", content: "Yes." }, { role: "user", content: "Next." });
        return turn.reminders.flatMap(({ type, text }) => (type === "edited_text_file" ? [text] : []));
      };
      try {
        const path = world.at(FILE);
        write(textWith());
        did([{ name: "Read", input: { file_path: path } }]);
        expect(await heard()).toEqual([]);
        if (isBefore) write(textWith(theirs));
        else write(textWith(agents));
        write(isOver ? textWith(agents) : textWith(agents, theirs));
        did(tools[tool]?.(path, agents) ?? []);
        const told = [...(await heard()), ...(await heard())].join("\n");
        const found = (of: string) => told.match(new RegExp(`\\+ ${of} \\d+$`, "gmu")) ?? [];
        expect(found("person")).toHaveLength(isOver ? 0 : others.length);
        expect(found("agent")).toEqual([]);
        // Nothing but lines of theirs, in place of those that were there.
        const changed = told.match(/ [-+] .*$/gmu) ?? [];
        expect(changed).toHaveLength(isOver ? 0 : others.length * 2);
        expect(told === "").toBe(isOver || others.length === 0);
      } finally {
        await session.close();
        world.remove();
      }
    },
  );
  await fc.assert(property, runs(300));
});

// Such as a line that the agent found in a search.
const unseen = fc.record({
  tool: fc.constantFrom("Edit", "MultiEdit", "apply_patch", "patches", "shell", "replace"),
  own: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }),
  others: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  /** How far behind one of the agent's lines those of others are. Before it is the context of a patch. */
  away: fc.integer({ min: 1, max: 4 }),
  how: fc.constantFrom("one", "two"),
  ending: fc.constantFrom("\n", "\r\n"),
});

test("AC-12 AC-48 where the agent edits what somebody else has just written, all else of theirs is told", async () => {
  await fc.assert(
    fc.asyncProperty(unseen, async ({ tool, own, others, away, how, ending }) => {
      const edited = [...own].sort((a, b) => a - b).map((index) => index * 6);
      const seen: Changes = new Map(edited.map((index) => [index, [`seen ${index}`]]));
      const theirs: Changes = new Map(others.map((index) => [index * 6 + away, [`person ${index}`]]));
      const agents: Changes = new Map(
        edited.map((index) => [
          index,
          how === "one" ? [`agent ${index}`] : [`agent ${index}`, `agent 10${index}`],
        ]),
      );
      // The tools take what they replace from the lines of the file.
      const uses = (at: (name: string) => string) => {
        const text = JSON.stringify(tools[tool]?.(at(FILE), agents) ?? []);
        return JSON.parse(
          edited.reduce((now, index) => now.replaceAll(lines[index] as string, `seen ${index}`), text),
        ) as Use[];
      };
      const now = textWith(agents, theirs).replaceAll("\n", ending);
      const told = await toldAfter(uses, now, "ok", {
        before: textWith(seen, theirs).replaceAll("\n", ending),
        ending,
      });
      const put = told.filter((line) => line.startsWith("+"));
      expect(put.toSorted()).toEqual(others.map((index) => `+ person ${index}`).toSorted());
      // What they replaced right beside the agent's lines is gone with these.
      const theirOld = others.map((index) => `- ${lines[index * 6 + away]}`);
      expect(told.filter((line) => !line.startsWith("+") && !theirOld.includes(line))).toEqual([]);
    }),
    runs(300),
  );
});

test("AC-12 a host says so itself; edits that cannot be placed make the file known as it is", async () => {
  const world = createFileWorld();
  const session = openIn(world);
  const heard = async (event: SessionEvent) => {
    await session.record(event);
    const turn = await session.turn();
    await turn.commit();
    return turn.reminders.map(({ text }) => text).join("\n");
  };
  try {
    world.write(FILE, textWith());
    expect(await heard({ type: "file_read", path: FILE })).toBe("");
    world.write(FILE, textWith(new Map([[3, ["person"]]]), new Map([[9, ["agent"]]])));
    const edits = [{ old: "line 10", new: "agent" }];
    expect(await heard({ type: "file_written", path: FILE, edits })).toMatch(/ \+ person$/mu);
    // Somebody takes the agent's edit back before anybody looks.
    const before = textWith(new Map([[3, ["person"]]]), new Map([[9, ["agent"]]]));
    world.write(FILE, before);
    const undone = [{ old: "line 20", new: "undone" }];
    expect(await heard({ type: "file_written", path: FILE, edits: undone })).toMatch(/ - undone$/mu);
    const over = [{ new: "all of it\n" }];
    expect(await heard({ type: "file_written", path: FILE, edits: over })).toMatch(/ - all of it$/mu);
    // What was looked at behind the edit has it already.
    const inside = [{ old: "line 25", new: "line 25" }];
    expect(await heard({ type: "file_written", path: FILE, edits: inside })).toBe("");
    world.write(FILE, textWith(new Map([[14, ["someone"]]]), new Map([[9, ["unseen"]]])));
    const unseen = [{ old: "no such line", new: "unseen" }];
    const told = await heard({ type: "file_written", path: FILE, edits: unseen });
    expect(told).toMatch(/ \+ someone$/mu);
    expect(told).not.toMatch(/unseen/u);
    world.write(
      FILE,
      textWith(
        new Map([[4, ["person"]]]),
        new Map([
          [9, ["other"]],
          [19, ["other"]],
        ]),
      ),
    );
    for (const given of [
      { old: "no such line", new: "other" },
      { old: "line", new: "other" },
      { old: "", new: "other" },
    ])
      expect(await heard({ type: "file_written", path: FILE, edits: [given] })).toBe("");
    // Nothing of it is there: the tool failed, and did not say so.
    world.write(FILE, textWith(new Map([[4, ["somebody"]]])));
    const failed = [{ old: "no such line", new: "nowhere" }];
    expect(await heard({ type: "file_written", path: FILE, edits: failed })).toMatch(/ \+ somebody$/mu);
  } finally {
    await session.close();
    world.remove();
  }
});

/** What is told after these calls, in one request, of a file that was read and is like this by then. */
async function toldAfter(
  uses: (at: (name: string) => string) => Use[],
  now: string,
  words: string,
  { isRead = true, before, ending = "\n" }: { isRead?: boolean; before?: string; ending?: string } = {},
): Promise<string[]> {
  const world = createFileWorld();
  const session = openIn(world);
  try {
    world.write(FILE, textWith().replaceAll("\n", ending));
    symlinkSync(world.at(FILE), world.at("link.txt"));
    const read = { name: "Read", input: { file_path: world.at(FILE) } };
    const messages: unknown[] = [{ role: "user", content: "Go on." }];
    const did = (all: readonly Use[], content: string) => {
      const ids = all.map((_, index) => `c${messages.length}-${index}`);
      messages.push(
        {
          role: "assistant",
          content: all.map((use, index) => ({ type: "tool_use", id: ids[index], ...use })),
        },
        { role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content })) },
      );
    };
    const heard = async () => {
      const body = { model: "m", max_tokens: 1, messages: structuredClone(messages) };
      const turn = await session.turn({ dialect: anthropicMessages, body: body as never });
      await turn.commit();
      return turn.reminders.flatMap(({ text }) => text.match(/[-+] .*$/gmu) ?? []);
    };
    if (isRead) did([read], "read");
    expect(await heard()).toEqual([]);
    if (before !== undefined) world.write(FILE, before);
    world.write(FILE, now);
    did(uses(world.at), words);
    return [...(await heard()), ...(await heard())];
  } finally {
    await session.close();
    world.remove();
  }
}

const edit = (file_path: string, old_string: string, new_string: string) => ({
  name: "Edit",
  input: { file_path, old_string, new_string },
});
const theirs = ["- line 20", "+ person"];

test.each([
  ["Edit", (at: (name: string) => string) => [edit(at(FILE), "line 05", "agent")]],
  [
    "Write",
    (at: (name: string) => string) => [{ name: "Write", input: { file_path: at(FILE), content: "x\n" } }],
  ],
  [
    "apply_patch",
    (at: (name: string) => string) => [
      { name: "apply_patch", input: { input: patchFor(at(FILE), new Map([[4, ["agent"]]])) } },
    ],
  ],
])("AC-48 a call that was refused in words that nobody knows is no change: %s", async (_, uses) => {
  const words = "The gentleman at the desk would rather not.";
  expect(await toldAfter(uses, textWith(), words)).toEqual([]);
  expect(await toldAfter(uses, textWith(new Map([[19, ["person"]]])), words)).toEqual(theirs);
  // Nor of a file that was not read before.
  expect(await toldAfter(uses, textWith(), words, { isRead: false })).toEqual([]);
});

test("AC-48 edits of one file under several names, each of what the one before wrote, are one change", async () => {
  const now = textWith(new Map([[4, ["three"]]]), new Map([[19, ["person"]]]));
  const uses =
    (...names: string[]) =>
    (at: (name: string) => string) => {
      const [one = "", two = "", three = ""] = names.map((name) => (name === "relative" ? FILE : at(name)));
      return [edit(one, "line 05", "one"), edit(two, "one", "two"), edit(three, "two", "three")];
    };
  for (const names of [
    [FILE, "relative", FILE],
    ["relative", FILE, "relative"],
    [FILE, "link.txt", FILE],
    ["link.txt", FILE, "relative"],
  ])
    expect(await toldAfter(uses(...names), now, "ok"), names.join()).toEqual(theirs);
});

test("AC-48 several patches of one file, in any order and of each other's lines", async () => {
  const patches = (at: (name: string) => string) =>
    [new Map([[9, ["nine"]]]), new Map([[4, ["four"]]])].map((own) => ({
      name: "apply_patch",
      input: { input: patchFor(at(FILE), own) },
    }));
  const own = new Map([
    [9, ["nine"]],
    [4, ["four"]],
  ]);
  expect(await toldAfter(patches, textWith(own, new Map([[19, ["person"]]])), "ok")).toEqual(theirs);
});
