import { expect, it } from "vitest";
import { createQueue, type Task } from "./lsp-source.ts";

async function worked(tasks: readonly Omit<Task, "seen">[]): Promise<string[]> {
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const last = Promise.withResolvers<void>();
  const queue = createQueue(async ({ path, why }) => {
    if (path === "first") await first.promise;
    else if (path === "last") last.resolve();
    else done.push(`${path} ${why}`);
    if (why === "removed") throw new Error("no");
  });
  queue.add({ path: "first", why: "read" });
  for (const task of tasks) queue.add(task);
  queue.add({ path: "last", why: "written" });
  first.resolve();
  await last.promise;
  return done;
}

it("of a file how it stood first and what became of it last", async () => {
  expect(
    await worked([
      { path: "a", why: "read" },
      { path: "a", why: "written" },
      { path: "a", why: "written" },
      { path: "b", why: "written" },
      { path: "b", why: "read" },
      { path: "c", why: "removed" },
      { path: "d", why: "changed" },
    ]),
  ).toEqual(["a read", "a written", "b written", "c removed", "d changed"]);
});

it("of files that were only read the latest few", async () => {
  const many = Array.from({ length: 500 }, (_, index) => ({ path: `${index}`, why: "read" as const }));
  const done = await worked(many);
  expect([done.length, done.at(-1)]).toEqual([64, "499 read"]);
});
