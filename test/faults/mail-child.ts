// One process of the mail storm, killed at any time: a writer that says which letters were acknowledged, or a reader.

import { writeSync } from "node:fs";
import process from "node:process";
import { createSession, createSqliteStore } from "sotto";
import { sendMessage } from "sotto/team";

const [role, cwd = "", name = "", count = "0"] = process.argv.slice(2);
const to = { team: "storm", agent: "reader" };

if (role === "writer") await writeLetters();
else await readLetters();

async function writeLetters(): Promise<void> {
  for (let number = 0; number < Number(count); number++) {
    const text = `${name}.${number}`;
    await sendMessage({ cwd, to, from: name, text });
    // Kept by the kernel, whatever becomes of this process.
    writeSync(1, `${text}\n`);
  }
}

/** Turn after turn, until it is told that no more will come and nothing is left. */
async function readLetters(): Promise<void> {
  const store = createSqliteStore({ path: `${cwd}/mail.db` });
  const session = createSession({
    id: "reader",
    cwd,
    home: cwd,
    agent: { kind: "main" },
    store,
    mailbox: to,
  });
  let isLast = false;
  process.stdin.once("data", () => {
    isLast = true;
  });
  for (let idle = 0; idle < 3; ) {
    const turn = await session.turn();
    await turn.commit();
    await session.record({ type: "assistant_turn" });
    writeSync(1, ".");
    idle = turn.reminders.length === 0 && isLast ? idle + 1 : 0;
    if (turn.reminders.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await session.close();
  await store.close();
  process.exit(0);
}
