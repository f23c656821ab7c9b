// After compaction a file may be due twice: as one to restore, and because the prompt mentions it.

import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMessages, createSession, createSqliteStore } from "sotto";
import { expect, onTestFinished, test } from "vitest";

test("from the same log, any session object sends the same for a file that is mentioned and restored", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-restored-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const cwd = join(root, "project");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  for (const name of ["a.js", "b.js", "c.js"]) writeFileSync(join(cwd, name), "1\n2\n3\n4\n");
  const open = (path: string) => {
    const store = createSqliteStore({ path });
    return { store, session: createSession({ id: "s", cwd, home: root, store }) };
  };
  const before = open(join(root, "first.db"));
  for (const path of ["a.js", "b.js"]) await before.session.record({ type: "file_read", path });
  const begun = { messages: [{ role: "user", content: "Begin." }] };
  await (await before.session.turn({ dialect: anthropicMessages, body: begun as never })).commit();
  await before.session.record({ type: "compacted" });
  await before.session.close();
  await before.store.close();
  const body = {
    messages: [
      { role: "user", content: "Summary." },
      { role: "user", content: "See @c.js and @b.js#L2-4" },
    ],
  };
  const take = async (index: number) => {
    const path = join(root, `copy-${index}.db`);
    copyFileSync(join(root, "first.db"), path);
    const { store, session } = open(path);
    await session.open();
    const turn = await session.turn({ dialect: anthropicMessages, body: body as never });
    await session.close();
    await store.close();
    return turn.reminders.map(({ type, text }) => `${type}: ${text}`);
  };
  // Alone, one after the other, and side by side: the files are then read in another order.
  const alone = [await take(0), await take(1)];
  const together = await Promise.all(Array.from({ length: 20 }, (_, index) => take(2 + index)));
  expect(alone[0]?.some((one) => one.includes("b.js"))).toBe(true);
  for (const one of [...alone, ...together]) expect(one).toEqual(alone[0]);
});
