import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "sotto";
import { defineAttachment, type Source, skip } from "sotto/extend";
import * as v from "valibot";
import { expect, it } from "vitest";
import { useOwnDeadlines } from "../support/deadlines.ts";
import { longestHold } from "../support/slow-texts.ts";

useOwnDeadlines();

declare module "sotto/extend" {
  interface ObservedFacts {
    spinning: string;
    allocating: string;
    hanging: string;
    healthy: string;
  }
}

type TestFact = "spinning" | "allocating" | "hanging" | "healthy";

const module = new URL("../support/jobs.ts", import.meta.url).href;

function attachmentOf(fact: TestFact) {
  return defineAttachment({
    type: `test_${fact}`,
    summary: "A made-up type.",
    tier: "core",
    when: "always",
    needs: [fact],
    schema: v.object({ text: v.string() }),
    content: "trusted",
    repeat: "always",
    trigger(facts) {
      const observed = facts[fact];
      return observed.known ? [{ data: { text: observed.value } }] : skip(observed.why);
    },
    render: ({ text }) => text,
    examples: [{ title: "text", data: { text: "hello" } }],
  });
}

it("AC-46 work that spins or allocates and a source that never answers cost the turn no more than its deadline", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sotto-work-"));
  const mark = join(directory, "starts");
  let milliseconds = 30_000;
  const sources: Source[] = [
    {
      fact: "spinning",
      observe: async ({ work }) =>
        (await work({
          module,
          name: "spin",
          about: "spin.yaml",
          input: { mark, ms: milliseconds },
        })) as string,
    },
    {
      fact: "allocating",
      observe: async ({ work }) =>
        (await work({ module, name: "allocate", input: { mark: "/dev/null", megabytes: 1024 } })) as string,
    },
    { fact: "hanging", observe: () => new Promise(() => undefined) },
    {
      fact: "healthy",
      observe: async ({ work }) =>
        `the answer is ${await work({ module, name: "double", input: { value: 21 } })}`,
    },
  ];
  const facts: TestFact[] = ["spinning", "allocating", "hanging", "healthy"];
  const session = createSession({
    cwd: directory,
    agent: { kind: "main" },
    sources,
    attachments: facts.map(attachmentOf),
  });
  await session.turn();
  const take = async () => {
    const turn = await session.turn();
    const outcome = (fact: TestFact) => turn.trace.find(({ type }) => type === `test_${fact}`);
    return { turn, outcome };
  };
  const starts = async () => (await readFile(mark, "utf8")).length;

  let last: Awaited<ReturnType<typeof take>> | undefined;
  // On a busy machine what is slow comes with a later turn, and after some failures it rests for a while.
  const isOpen = (fact: TestFact) => /timed out|resting/u.test(last?.outcome(fact)?.outcome ?? "");
  const longest = await longestHold(async () => {
    do last = await take();
    while (isOpen("healthy") || isOpen("allocating") || isOpen("spinning"));
  });
  expect(last?.outcome("healthy")?.outcome).toBe("sent");
  expect(last?.turn.reminders.map(({ text }) => text)).toContain(
    "<system-reminder>\nthe answer is 42\n</system-reminder>",
  );
  expect(last?.outcome("spinning")?.reason).toContain("spin.yaml took longer than 250 ms");
  expect(last?.outcome("allocating")?.outcome).toBe("failed");
  expect(isOpen("hanging")).toBe(true);
  // They spin and allocate for a quarter of a second.
  expect(longest).toBeLessThan(100);

  const before = await starts();
  expect((await take()).outcome("spinning")?.reason).toMatch(
    /not tried again until its content changes|is resting until turn \d+, after 3 failures/u,
  );
  expect(await starts()).toBe(before);
  milliseconds = 1;
  await session.close();
  const again = createSession({
    cwd: directory,
    agent: { kind: "main" },
    sources,
    attachments: facts.map(attachmentOf),
  });
  const spun = async () => (await again.turn()).trace.find(({ type }) => type === "test_spinning")?.outcome;
  let outcome = await spun();
  while (outcome === "timed out") outcome = await spun();
  expect(outcome).toBe("sent");
  await again.close();
  await rm(directory, { recursive: true });
});
