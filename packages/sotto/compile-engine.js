// Part of the build: runs some turns with what was built, and keeps what V8 compiled for them in the package. Only for the
// version of Node that builds; others compile as they go. Plain JavaScript, because every version of Node may build it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const built = process.argv[2] ?? join(import.meta.dirname, "dist");
const compiled = new Map();
Reflect.set(globalThis, Symbol.for("sotto.compiled"), (name, script, text) => {
  compiled.set(name, { script, text });
});
const cwd = mkdtempSync(join(tmpdir(), "sotto-compile-"));
try {
  await converse();
  if (compiled.size === 0) throw new Error("the engine was not run as a script");
  for (const [name, { script, text }] of compiled) {
    const head = `${JSON.stringify({ program: text.length })}\n`;
    const data = script.createCachedData();
    const file = join(built, `${name}-${process.version}-${process.arch}.bin`);
    writeFileSync(file, Buffer.concat([Buffer.from(head + text), data, data]));
  }
} finally {
  rmSync(cwd, { recursive: true });
}

/** What the first turns of most conversations do, and nothing else: what is not needed takes time as well. */
async function converse() {
  const { anthropicMessages, createSession } = await import(pathToFileURL(join(built, "index-node.js")).href);
  const file = join(cwd, "AGENTS.md");
  writeFileSync(file, "Use tabs.\n");
  const messages = [{ role: "user", content: "Tidy up." }];
  const session = createSession({ cwd, home: cwd });
  for (const [name, input] of Object.entries({
    Read: { file_path: file },
    Bash: { command: "cat AGENTS.md" },
  })) {
    const body = { model: "m", max_tokens: 1, messages };
    const turn = await session.turn({ dialect: anthropicMessages, body });
    if (turn.problem !== undefined) throw new Error(turn.problem);
    await turn.commit();
    const use = { type: "tool_use", id: `call-${name}`, name, input };
    const result = { type: "tool_result", tool_use_id: use.id, content: "Use tabs." };
    const answer = [{ type: "text", text: "I look." }, use];
    messages.push({ role: "assistant", content: answer }, { role: "user", content: [result] });
  }
  const again = createSession({ cwd, home: cwd });
  await again.turn({ dialect: anthropicMessages, body: { model: "m", max_tokens: 1, messages } });
  await Promise.all([session.close(), again.close()]);
}
