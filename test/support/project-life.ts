// An agent at work in a real project: files change behind its back, are read, written and mentioned, rules apply.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Session } from "sotto";
import type { Client } from "./agent-client.ts";
import type { FileWorld } from "./file-world.ts";
import type { Random } from "./seeded.ts";

export interface ProjectLife {
  /** Something happens between two turns. */
  step(): Promise<void>;
  /** The user says something that mentions files; what the host passes as the prompt. */
  mention(): string;
  /** The conversation is summed up. */
  compact(): Promise<void>;
  /** What the model must have in view once a turn was asked for: each version carries a mark of its own. */
  expected(): string[];
}

export interface LifeOptions {
  world: FileWorld;
  random: Random;
  session: Session;
  client: Client;
}

const DIRECTORIES = ["src", "src/ui", "lib"];
const FILES = ["top.ts", "src/a.ts", "src/b.ts", "src/ui/c.ts", "src/ui/d.ts", "lib/e.ts"];
const IMAGES = ["src/one.png", "lib/two.png"];

export function createLife({ world, random, session, client }: LifeOptions): ProjectLife {
  const marks = new Map<string, string>();
  // Paths whose latest version the model must know.
  const known = new Set<string>();
  let count = 0;

  const write = (path: string) => {
    const mark = `${path.endsWith(".md") ? "RULE" : "FILE"}${++count}X`;
    if (path.endsWith(".png")) {
      const image = pngOf(mark);
      writeFileSync(world.at(path), image);
      marks.set(path, image.toString("base64"));
    } else {
      world.write(path, `// begins\n${mark}\n// ends\n`);
      marks.set(path, mark);
    }
  };
  const rulesAbout = (path: string) => {
    const above = DIRECTORIES.filter((directory) => path.startsWith(`${directory}/`));
    return [
      ...above.map((directory) => `${directory}/AGENTS.md`),
      ...(path.endsWith("c.ts") ? [".claude/rules/c.md"] : []),
    ];
  };
  const know = (path: string) => {
    for (const one of [path, ...rulesAbout(path)]) known.add(one);
  };
  const call = (text: string) => {
    const id = `file_${++count}`;
    client.messages.push(...client.wire.reply(undefined, [id]));
    client.messages.push(...client.wire.results([{ id, text }], true));
  };
  const spelled = (path: string) =>
    random.pick([
      path,
      `./${path}`,
      `"${path}"`,
      world.at(path),
      ...(path.startsWith("src/") ? [path.replace("src/", "link/")] : []),
    ]);

  mkdirSync(world.at("src/ui"), { recursive: true });
  mkdirSync(world.at("lib"));
  symlinkSync(world.at("src"), world.at("link"));
  for (const path of [...FILES, ...IMAGES, ...DIRECTORIES.map((one) => `${one}/AGENTS.md`)]) write(path);
  write(".claude/rules/c.md");
  const rule = `---\npaths: "**/c.ts"\n---\n${marks.get(".claude/rules/c.md")}\n`;
  world.write(".claude/rules/c.md", rule);
  world.write("AGENTS.md", "Hold on to the tests.\n");

  const steps: (() => void | Promise<void>)[] = [
    () => write(random.pick(FILES)),
    // A new picture is shown when it is mentioned again, a rule's new version when its place is touched again.
    () => {
      const path = random.pick(IMAGES);
      write(path);
      known.delete(path);
    },
    () => {
      const path = `${random.pick(DIRECTORIES)}/AGENTS.md`;
      write(path);
      known.delete(path);
    },
    async () => {
      const path = random.pick(FILES);
      await session.record({ type: "file_read", path: random.pick([path, world.at(path)]) });
      call(marks.get(path) as string);
      know(path);
    },
    async () => {
      const path = random.pick(FILES);
      await session.beforeWrite(path);
      write(path);
      await session.record({ type: "file_written", path });
      call(`wrote ${marks.get(path)}`);
      know(path);
    },
    async () => {
      const path = random.pick(FILES);
      const tool = { toolName: "Grep", callId: `grep_${++count}`, success: true, durationMs: 1 };
      await session.record({ type: "tool_finished", ...tool, paths: [path] });
      for (const one of rulesAbout(path)) known.add(one);
    },
  ];
  return {
    step: async () => random.pick(steps)(),
    mention() {
      const paths = Array.from({ length: 1 + random.below(3) }, () => random.pick([...FILES, ...IMAGES]));
      for (const path of paths) know(path);
      const more = random.chance(0.2) ? " and what is in @lib ?" : "";
      const text = `Look at ${paths.map((path) => `@${spelled(path)}`).join(" and ")}${more} (${++count})`;
      client.messages.push(client.wire.prompt(text));
      return text;
    },
    async compact() {
      await session.record({ type: "compacted" });
      client.messages = [client.wire.prompt(`Summary of ${client.messages.length} messages, ${++count}.`)];
      known.clear();
    },
    expected: () => [...known].map((path) => marks.get(path) as string),
  };
}

/** One pixel, and words that make it another file. */
function pngOf(words: string): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", Buffer.from("00000001000000010806000000", "hex")),
    chunk("tEXt", Buffer.from(`Comment\0${words}`)),
    chunk("IDAT", Buffer.from("789c6364f8cf500f0003860180", "hex")),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
