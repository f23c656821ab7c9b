// What changes and changes back: whatever became of the requests in between, the version that was sent last is the one that holds.

import { rmSync } from "node:fs";
import fc from "fast-check";
import { createMemoryStore, type Session } from "sotto";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { type WireBody, type WireMessage, anthropic as wire } from "../support/agent-wire.ts";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { partingOf } from "../support/requests.ts";
import { runs } from "../support/runs.ts";

type Version = "A" | "B" | "C";

interface Place {
  world: FileWorld;
  session: Session;
}

interface Member {
  change(version: Version, place: Place): unknown;
  /** It is looked at when something names it or a file beside it, and not in every retry. */
  whenNamed?: true;
  /** What the user says each time. */
  prompt?: string;
}

const file = (path: string, text = (words: string) => words) => ({
  change: (version: Version, { world }: Place) => world.write(path, text(`Version ${version}.\n`)),
});

const members: Record<string, Member> = {
  "a nested AGENTS.md": { ...file("src/AGENTS.md"), whenNamed: true },
  "an import of a nested one": {
    change(version, { world }) {
      world.write("src/AGENTS.md", "See @style.md");
      world.write("src/style.md", `Version ${version}.\n`);
    },
    whenNamed: true,
  },
  "a rule for paths": {
    ...file(".claude/rules/src.md", (words) => `---\npaths: src/**\n---\n${words}`),
    whenNamed: true,
  },
  "a rule": file(".claude/rules/all.md"),
  "AGENTS.md": file("AGENTS.md"),
  "an import": {
    change(version, { world }) {
      world.write("CLAUDE.md", "See @docs/style.md");
      world.write("docs/style.md", `Version ${version}.\n`);
    },
  },
  "a resource that is mentioned": {
    change: (version, { session }) =>
      recordAny(session, {
        type: "resource_attached",
        server: "docs",
        uri: "docs://style",
        contents: [{ text: `Version ${version}.` }],
        hash: version,
      }),
  },
  "a directory that is mentioned": {
    change(version, { world }) {
      rmSync(world.at("docs"), { recursive: true, force: true });
      world.write(`docs/Version ${version}.`, "");
    },
    whenNamed: true,
    prompt: "Look into @docs",
  },
  "a file that is mentioned": {
    ...file("docs/style.md"),
    whenNamed: true,
    prompt: "Look at @docs/style.md",
  },
  "lines that are mentioned": {
    ...file("docs/style.md", (words) => `Style\n${words}\n`),
    whenNamed: true,
    prompt: "Look at @docs/style.md#L2",
  },
  ultramemory: {
    change: (version, { session }) =>
      session.record({ type: "ultramemory_changed", content: `Version ${version}.` }),
  },
  "the file that is open": {
    change: (version, { session }) =>
      session.record({ type: "ide_changed", ideName: "Ed", openFile: `Version ${version}.` }),
  },
};

/** A request, which may be tried again; the last try was answered, whatever the host has said of it. */
const step = fc.record({
  tries: fc.array(
    fc.record({
      version: fc.constantFrom<Version>("A", "B", "C"),
      end: fc.constantFrom("commit", "abandon", "nothing"),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  /** A process ends, and another one goes on. */
  reopen: fc.constantFrom(false, false, false, true),
});

const told = ({ messages }: WireBody) =>
  [...JSON.stringify(messages).matchAll(/Version (\w)\./gu)].map(([, version]) => version);

describe.each(Object.entries(members))(
  "AC-37 AC-49 versions of %s",
  (_name, { change, whenNamed, prompt }) => {
    test("that come back are sent again, none twice in a row, and each stays where it was sent", async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const world = createFileWorld();
        world.write("src/a.ts", "a");
        const kept = { id: "one", store: createMemoryStore() };
        const open = () => openIn(world, { ...kept, config: { attachments: { edited_text_file: false } } });
        let session = open();
        let messages: WireMessage[] = [{ role: "user", content: "Begin." }];
        let before: WireBody | undefined;
        for (const [number, { tries, reopen }] of steps.entries()) {
          messages = [...messages, ...goneOn(world.at("src/a.ts"), { id: `call-${number}`, prompt })];
          for (const [at, { version, end }] of tries.entries()) {
            await change(version, { world, session });
            const turn = await session.turn({
              ...{ dialect: wire.dialect, body: wire.body(messages) },
              ...(prompt === undefined ? {} : { userPrompt: prompt }),
            });
            const versions = told(turn.body);
            if (at === 0 || !whenNamed) expect(versions.at(-1)).toBe(version);
            expect(versions.filter((one, index) => one === versions[index - 1])).toEqual([]);
            expect(partingOf(wire, before, turn.body)).toBeUndefined();
            before = turn.body;
            if (end !== "nothing") await turn[end as "commit" | "abandon"]();
          }
          if (!reopen) continue;
          await session.close();
          session = open();
        }
        await session.close();
        world.remove();
      });
      await fc.assert(property, runs(200));
    });
  },
);

/** The agent has read a file, or the user says something. */
function goneOn(path: string, { id, prompt }: { id: string; prompt: string | undefined }): WireMessage[] {
  if (prompt !== undefined)
    return [
      { role: "assistant", content: `Done: ${id}` },
      { role: "user", content: prompt },
    ];
  const call = { type: "tool_use", id, name: "Read", input: { file_path: path } };
  return [
    { role: "assistant", content: [call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "     1\ta" }] },
  ];
}
