// Instruction files once per version and view: through links and worktrees, on branches, after compaction, over budget.

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { createMemoryStore, type Session, type Turn } from "sotto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handWires, prompt, type WireBody, type WireMessage } from "../support/agent-wire.ts";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { outcomeOf } from "../support/telling.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
  world.write("src/AGENTS.md", "About src.");
  world.write("src/a.ts", "a");
});
afterEach(() => world.remove());

function nested({ attachments }: Turn): string[] {
  return attachments.flatMap(({ type, data }) =>
    type === "nested_memory" ? [(data as { path: string }).path.replace(`${world.root}/`, "")] : [],
  );
}

async function next(session: Session): Promise<string[]> {
  const turn = await session.turn();
  await turn.commit();
  return nested(turn);
}

const touch = (session: Session, path = "src/a.ts") => session.record({ type: "file_read", path });

describe("one file", () => {
  it("by a linked directory and by its own name comes once", async () => {
    symlinkSync(world.at("src"), world.at("link"));
    const session = openIn(world);
    await touch(session, "link/a.ts");
    expect(await next(session)).toEqual(["link/AGENTS.md"]);
    await touch(session);
    const turn = await session.turn();
    expect(nested(turn)).toEqual([]);
    expect(outcomeOf(turn, "nested_memory")).toMatch(
      /src\/AGENTS\.md: this version of it was said, and is still in view/u,
    );
  });

  it("in a linked worktree comes once while it is the same there", async () => {
    mkdirSync(world.at(".git/worktrees/tree"), { recursive: true });
    world.write("tree/.git", `gitdir: ${world.at(".git/worktrees/tree")}\n`);
    world.write("tree/src/AGENTS.md", "About src.");
    world.write("tree/src/a.ts", "a");
    const session = openIn(world);
    await touch(session);
    expect(await next(session)).toEqual(["src/AGENTS.md"]);
    await touch(session, "tree/src/a.ts");
    expect(await next(session)).toEqual([]);
    world.write("tree/src/AGENTS.md", "About src, here.");
    await touch(session, "tree/src/a.ts");
    expect(await next(session)).toEqual(["tree/src/AGENTS.md"]);
  });

  it("read from many places at once comes once", async () => {
    const session = openIn(world);
    const paths = Array.from({ length: 50 }, (_, index) => `src/f${index}.ts`);
    for (const path of paths) world.write(path, path);
    await Promise.all(paths.map((path) => touch(session, path)));
    expect(await next(session)).toEqual(["src/AGENTS.md"]);
    await Promise.all(paths.map((path) => touch(session, path)));
    expect(await next(session)).toEqual([]);
  });

  it("that imports in a circle comes with all of it, once", async () => {
    world.write("src/AGENTS.md", "@one.md");
    world.write("src/one.md", "@two.md");
    world.write("src/two.md", "@one.md and @AGENTS.md");
    const session = openIn(world);
    await touch(session);
    expect(await next(session)).toEqual(["src/AGENTS.md", "src/one.md", "src/two.md"]);
  });
});

it("fifty directories over the budget: some now, the others later, none twice", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `d${index}`);
  const session = openIn(world, { config: { max_memory_tokens: 1000 } });
  for (const name of names) {
    world.write(`${name}/AGENTS.md`, `About ${name}. ${"More of it. ".repeat(20)}`);
    await touch(session, `${name}/x.ts`);
  }
  const said: string[][] = [];
  do said.push(await next(session));
  while (said.at(-1)?.length !== 0);
  expect(said.flat()).toEqual(names.map((name) => `${name}/AGENTS.md`));
  expect(said.length).toBeGreaterThan(3);
});

it("a file over the whole budget is cut with a word about the rest, and those behind it still come", async () => {
  world.write("src/AGENTS.md", "word ".repeat(5000));
  world.write("src/ui/AGENTS.md", "About ui.");
  const session = openIn(world, { config: { max_memory_tokens: 1000 } });
  await touch(session, "src/ui/b.ts");
  const turn = await session.turn();
  expect(nested(turn)).toEqual(["src/AGENTS.md", "src/ui/AGENTS.md"]);
  expect(turn.reminders[0]?.text).toContain(`use Read on ${world.at("src/AGENTS.md")} for the rest)`);
});

describe("what waits to be said", () => {
  const CONFIG = { max_memory_tokens: 1000 };
  const filler = "More of it. ".repeat(250);
  const texts = (turn: Turn) =>
    turn.reminders.flatMap(({ type, text }) =>
      type === "nested_memory" ? [/\bV\d\b/u.exec(text)?.[0]] : [],
    );
  const putOff = async (store = createMemoryStore()) => {
    world.write("src/AGENTS.md", `About src. ${filler}`);
    world.write("src/ui/AGENTS.md", `V1 about ui. ${filler}`);
    const session = openIn(world, { id: "s", store, config: CONFIG });
    await touch(session, "src/ui/b.ts");
    expect(await next(session)).toEqual(["src/AGENTS.md"]);
    return session;
  };

  it("comes as it is when it is said, once", async () => {
    const session = await putOff();
    world.write("src/ui/AGENTS.md", `V2 about ui. ${filler}`);
    const turn = await session.turn();
    await turn.commit();
    expect(texts(turn)).toEqual(["V2"]);
    await touch(session, "src/ui/b.ts");
    expect(await next(session)).toEqual([]);
  });

  it("comes as it is in a session that was resumed", async () => {
    const store = createMemoryStore();
    await (await putOff(store)).close();
    world.write("src/ui/AGENTS.md", `V2 about ui. ${filler}`);
    expect(texts(await openIn(world, { id: "s", store, config: CONFIG }).turn())).toEqual(["V2"]);
  });

  it("does not come while it is not there, and says so; it comes when it is there again, once", async () => {
    const session = await putOff();
    const why = `waits: it was removed, or does not apply any more`;
    rmSync(world.at("src/ui/AGENTS.md"));
    for (let turns = 0; turns < 3; turns++) {
      const turn = await session.turn();
      await turn.commit();
      expect(texts(turn)).toEqual([]);
      expect(outcomeOf(turn, "nested_memory")).toContain(`${world.at("src/ui/AGENTS.md")}: ${why}`);
    }
    world.write("src/ui/AGENTS.md", `V1 about ui. ${filler}`);
    expect(await next(session)).toEqual(["src/ui/AGENTS.md"]);
    await touch(session, "src/ui/b.ts");
    expect(await next(session)).toEqual([]);
  });

  it("comes as it is if it was not there for a while, also in a session that was resumed", async () => {
    const store = createMemoryStore();
    const session = await putOff(store);
    rmSync(world.at("src"), { recursive: true });
    expect(await next(session)).toEqual([]);
    await session.close();
    world.write("src/AGENTS.md", `About src. ${filler}`);
    world.write("src/ui/AGENTS.md", `V2 about ui. ${filler}`);
    const turn = await openIn(world, { id: "s", store, config: CONFIG }).turn();
    expect(texts(turn)).toEqual(["V2"]);
  });

  it("is nothing to heed before a write while it is not there", async () => {
    const session = await putOff();
    rmSync(world.at("src/ui/AGENTS.md"));
    expect(await next(session)).toEqual([]);
    expect((await session.beforeWrite("src/c.ts")).unsaid).toEqual([]);
    world.write("src/ui/AGENTS.md", "V2 about ui.");
    expect((await session.beforeWrite("src/c.ts")).unsaid).toMatchObject([{ content: "V2 about ui." }]);
  });

  const rule = (paths: string, text = "V1") =>
    world.write(".claude/rules/ui.md", `---\npaths: ${paths}\n---\n${text} ${filler}`);
  const putOffRule = async (...paths: string[]) => {
    world.write("src/AGENTS.md", filler);
    const session = openIn(world, { config: CONFIG });
    for (const path of paths) await touch(session, path);
    expect(await next(session)).toEqual(["src/AGENTS.md"]);
    return session;
  };

  it("does not come while its paths do not match, and says so", async () => {
    rule("src/ui/*");
    const session = await putOffRule("src/ui/b.ts");
    rule("src/db/*");
    const turn = await session.turn();
    expect(texts(turn)).toEqual([]);
    expect(outcomeOf(turn, "nested_memory")).toMatch(
      /\/ui\.md: waits: src\/ui\/b\.ts does not match src\/db\/\*$/u,
    );
    rule("src/ui/*", "V2");
    expect(texts(await session.turn())).toEqual(["V2"]);
  });

  it("comes for any file that it was found for, at once or later", async () => {
    rule("src/**");
    const session = await putOffRule("src/a.ts", "src/ui/b.ts");
    rule("src/ui/*", "V2");
    const turn = await session.turn();
    expect(texts(turn)).toEqual(["V2"]);
    expect(turn.attachments).toMatchObject([{ data: { reason: "src/ui/b.ts matches src/ui/*" } }]);
    await turn.abandon();
    await touch(session, "src/db/c.ts");
    rule("src/db/*", "V3");
    const lost = await session.turn();
    expect(texts(lost)).toEqual(["V3"]);
    await lost.abandon();
    rule("src/a.ts", "V4");
    expect(texts(await session.turn())).toEqual(["V4"]);
  });

  it("does not come for a file that it was never found for", async () => {
    rule("src/ui/*");
    const session = await putOffRule("src/a.ts", "src/ui/b.ts");
    rule("src/a.ts", "V2");
    expect(await next(session)).toEqual([]);
  });

  it("is not sent if it is again what was sent before", async () => {
    world.write("src/AGENTS.md", "V1");
    const session = openIn(world);
    await touch(session);
    expect(await next(session)).toEqual(["src/AGENTS.md"]);
    world.write("src/AGENTS.md", "V2");
    await touch(session);
    await (await session.turn()).abandon();
    world.write("src/AGENTS.md", "V1");
    expect(await next(session)).toEqual([]);
    expect(await next(session)).toEqual([]);
  });

  it("comes as it is after a turn that was abandoned", async () => {
    world.write("src/AGENTS.md", "V1");
    const session = openIn(world);
    await touch(session);
    const lost = await session.turn();
    expect(texts(lost)).toEqual(["V1"]);
    await lost.abandon();
    world.write("src/AGENTS.md", "V2");
    expect(texts(await session.turn())).toEqual(["V2"]);
  });

  it("is not recorded again while it stays the same", async () => {
    const store = createMemoryStore();
    const lookUps = async () => {
      const { entries } = await store.read("s", 0);
      return entries.filter((one) => one.kind === "event" && one.event.type === "memory_resolved").length;
    };
    const session = await putOff(store);
    expect(await lookUps()).toBe(1);
    expect(await next(session)).toEqual(["src/ui/AGENTS.md"]);
    expect(await next(session)).toEqual([]);
    expect(await lookUps()).toBe(1);
  });

  it("is recorded once while it is not there, and again only with what changed", async () => {
    const store = createMemoryStore();
    const recorded = async () =>
      (await store.read("s", 0)).entries.flatMap((one) =>
        one.kind === "event" && one.event.type === "memory_resolved"
          ? [one.event.loaded.map(({ path }) => path.replace(`${world.root}/`, ""))]
          : [],
      );
    const session = await putOff(store);
    rmSync(world.at("src/ui/AGENTS.md"));
    for (let turns = 0; turns < 3; turns++) await next(session);
    expect(await recorded()).toEqual([["src/AGENTS.md", "src/ui/AGENTS.md"], []]);
    await touch(session, "other.ts");
    for (let turns = 0; turns < 3; turns++) await next(session);
    expect(await recorded()).toEqual([["src/AGENTS.md", "src/ui/AGENTS.md"], [], []]);
    world.write("src/ui/AGENTS.md", "V2");
    await next(session);
    expect((await recorded()).slice(3)).toEqual([["src/ui/AGENTS.md"]]);
  });
});

it("a sub-agent hears nothing of what its parent touched, and its own for itself", async () => {
  const session = openIn(world);
  await touch(session);
  const child = session.subagent({ agentType: "Explore" });
  expect(await next(child)).toEqual([]);
  await touch(child);
  expect(await next(child)).toEqual(["src/AGENTS.md"]);
  expect(await next(session)).toEqual(["src/AGENTS.md"]);
});

it("what a rewind undid is said again when its place is touched again", async () => {
  const session = openIn(world);
  await next(session);
  await next(session);
  await touch(session);
  expect(await next(session)).toEqual(["src/AGENTS.md"]);
  await session.record({ type: "rewound", toTurn: 1 });
  expect(await next(session)).toEqual([]);
  await touch(session);
  expect(await next(session)).toEqual(["src/AGENTS.md"]);
});

describe.each(handWires)("in histories of $name", (wire) => {
  const asked = async (session: Session, messages: WireMessage[]) => {
    const turn = await session.turn<WireBody>({ dialect: wire.dialect, body: wire.body(messages) });
    await turn.commit();
    return nested(turn);
  };
  const start = [prompt("Where do we begin?")];
  const answer = wire.reply("At the beginning.", []);

  it("each branch hears it", async () => {
    const session = openIn(world);
    await asked(session, start);
    await touch(session);
    const one = [...start, ...answer, prompt("Go left.")];
    expect(await asked(session, one)).toEqual(["src/AGENTS.md"]);
    const other = [...start, ...answer, prompt("Go right.")];
    expect(await asked(session, other)).toEqual(["src/AGENTS.md"]);
    await touch(session);
    expect(await asked(session, [...other, ...answer, prompt("Go on.")])).toEqual([]);
    await touch(session);
    expect(await asked(session, [...one, ...answer, prompt("Go on here.")])).toEqual([]);
  });

  it("what a failed call was sent stays, and a newer version follows it", async () => {
    const session = openIn(world);
    await touch(session);
    const ask = () => session.turn<WireBody>({ dialect: wire.dialect, body: wire.body(start) });
    await (await ask()).abandon();
    world.write("src/AGENTS.md", "New about src.");
    const turn = await ask();
    expect(JSON.stringify(turn.body).match(/(?:New a|A)bout src/gu)).toEqual(["About src", "New about src"]);
  });

  it("a history that was summed up without a word hears it again when its place is touched", async () => {
    const session = openIn(world);
    await asked(session, start);
    await touch(session);
    const longer = [...start, ...answer, prompt("Read it.")];
    expect(await asked(session, longer)).toEqual(["src/AGENTS.md"]);
    await asked(session, [...longer, ...answer, prompt("Thanks.")]);
    const summary = [prompt("Summary: they began, and read a file. Go on.")];
    expect(await asked(session, summary)).toEqual([]);
    await touch(session);
    expect(await asked(session, [...summary, ...answer, prompt("And now?")])).toEqual(["src/AGENTS.md"]);
    await touch(session);
    expect(
      await asked(session, [...summary, ...answer, prompt("And now?"), ...answer, prompt("Well?")]),
    ).toEqual([]);
  });
});
