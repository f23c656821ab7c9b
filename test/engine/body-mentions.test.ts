// What the user mentions at the end of a request, seen by a plain turn: as every integration sees it, and once.

import { aiSdk, anthropicMessages, gemini, openaiChat, openaiResponses, type Turn } from "sotto";
import type { Dialect } from "sotto/extend";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
  world.write("src/a.ts", "const a = 1;\n");
  world.write("src/b.ts", "const b = 2;\n");
});
afterEach(() => world.remove());

const said = (turn: Turn) =>
  turn.reminders
    .filter(({ type }) => type === "file" || type === "already_read_file")
    .map(({ type }) => type);

const bodies: [string, Dialect, (text: string) => object][] = [
  ["anthropic", anthropicMessages as Dialect, (text) => ({ messages: [{ role: "user", content: text }] })],
  [
    "anthropic blocks",
    anthropicMessages as Dialect,
    (text) => ({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "hi" },
            { type: "text", text },
          ],
        },
      ],
    }),
  ],
  ["openai chat", openaiChat as Dialect, (text) => ({ messages: [{ role: "user", content: text }] })],
  ["openai responses", openaiResponses as Dialect, (text) => ({ input: text })],
  ["gemini", gemini as Dialect, (text) => ({ contents: [{ role: "user", parts: [{ text }] }] })],
  [
    "ai sdk",
    aiSdk as Dialect,
    (text) => ({ messages: [{ role: "user", content: [{ type: "text", text }] }] }),
  ],
];

describe.each(bodies)("%s", (_, dialect, bodyOf) => {
  it("brings what is mentioned, and the same bytes when it is sent again", async () => {
    const session = openIn(world);
    const body = bodyOf("What does @src/a.ts do?");
    const turn = await session.turn({ dialect, body });
    expect(said(turn)).toEqual(["file"]);
    const again = await session.turn({ dialect, body });
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(turn.body));
    await again.commit();
    const later = await session.turn({ dialect, body });
    expect(JSON.stringify(later.body)).toBe(JSON.stringify(turn.body));
  });

  it("says it once where the host gives the prompt as well", async () => {
    const text = "What does @src/a.ts do?";
    const turn = await openIn(world).turn({ dialect, body: bodyOf(text), userPrompt: text });
    expect(said(turn)).toEqual(["file"]);
  });

  it("hears nothing where the host says that nothing was typed", async () => {
    const turn = await openIn(world).turn({ dialect, body: bodyOf("See @src/a.ts"), userPrompt: "" });
    expect(said(turn)).toEqual([]);
  });
});

const call = { type: "tool_use", id: "t1", name: "look", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "see @src/b.ts" };
const reminder = "<system-reminder>\nsee @src/b.ts\n</system-reminder>";

describe("is no prompt:", () => {
  it.each<[string, object[]]>([
    ["a tool's result", [{ role: "user", content: [result] }]],
    [
      "a reminder in a message of its own",
      [
        { role: "user", content: [result] },
        { role: "user", content: reminder },
      ],
    ],
    ["a reminder beside a result", [{ role: "user", content: [result, { type: "text", text: reminder }] }]],
    [
      "an answer that is to go on",
      [
        { role: "user", content: [result] },
        { role: "assistant", content: "@src/b.ts" },
      ],
    ],
  ])("%s", async (_, end) => {
    const session = openIn(world);
    const start = [
      { role: "user", content: "go" },
      { role: "assistant", content: [call] },
    ];
    const turn = await session.turn({
      dialect: anthropicMessages as Dialect,
      body: { messages: [...start, ...end] },
    });
    expect(said(turn)).toEqual([]);
  });

  it("a reminder that a client has put into one text with the prompt", async () => {
    const session = openIn(world);
    const body = { messages: [{ role: "user", content: `${reminder}\nand @src/a.ts` }] };
    const turn = await session.turn({ dialect: anthropicMessages as Dialect, body });
    expect(turn.attachments.filter(({ type }) => type === "file").map(({ data }) => data)).toMatchObject([
      { filename: world.at("src/a.ts") },
    ]);
  });

  it("a reminder that the host has kept in the history", async () => {
    const session = openIn(world);
    const first = await session.turn({
      dialect: anthropicMessages as Dialect,
      body: { messages: [{ role: "user", content: "see @src/a.ts" }] },
    });
    await first.commit();
    const { messages } = first.body as { messages: object[] };
    const next = await session.turn({ dialect: anthropicMessages as Dialect, body: { messages } });
    expect(said(next)).toEqual([]);
  });
});

it("what the user says beside results is a prompt", async () => {
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: [call] },
    { role: "user", content: [result, { type: "text", text: "and look at @src/a.ts" }] },
  ];
  const turn = await openIn(world).turn({ dialect: anthropicMessages as Dialect, body: { messages } });
  expect(said(turn)).toEqual(["file"]);
});
