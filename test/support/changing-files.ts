// A handful of files of every kind, and what someone else does to them.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { FileWorld } from "./file-world.ts";
import type { Random } from "./seeded.ts";

export type Kind = "text" | "crlf" | "utf-16" | "binary" | "image" | "secret" | "denied";

export interface ChangingFile {
  kind: Kind;
  /** Under any of which it can be read. */
  names: readonly [string, ...string[]];
}

/** Stands in secret and denied files, and nowhere else. */
export const CANARY = "canary-7531";
export const GONE = Symbol("gone");
export type Content = string | typeof GONE;

export const files: readonly ChangingFile[] = [
  { kind: "text", names: ["a.ts"] },
  { kind: "text", names: ["sub/b.ts"] },
  { kind: "text", names: ["link/c.ts", "real/c.ts"] },
  // A link to one of two files that nobody reads by their own names.
  { kind: "text", names: ["turning.ts"] },
  { kind: "crlf", names: ["d.txt"] },
  { kind: "utf-16", names: ["e.txt"] },
  { kind: "binary", names: ["data.bin"] },
  { kind: "image", names: ["pixel.png"] },
  { kind: "secret", names: [".env", "settings"] },
  { kind: "denied", names: ["private/k.ts", "alias.ts"] },
];

const PIXEL = readFileSync(new URL("./cases/pixel.png", import.meta.url));

export interface ChangingFiles {
  /** What stands there now: text without a byte order mark, other bytes as they are. */
  contentOf(file: ChangingFile): Content;
  /** Something happens to a file; undefined where it is not there to happen to. */
  change(file: ChangingFile): void;
  /** Another content. */
  rewrite(file: ChangingFile): Content;
  remove(name: string): void;
}

export function createChangingFiles(world: FileWorld, random: Random): ChangingFiles {
  const past = new Map<ChangingFile, string[]>();
  let count = 0;
  const first = ({ names: [name] }: ChangingFile) => world.at(name);

  const contentOf = (file: ChangingFile): Content => {
    if (!existsSync(first(file))) return GONE;
    const bytes = readFileSync(first(file));
    if (file.kind === "binary" || file.kind === "image") return bytes.toString("latin1");
    return file.kind === "utf-16" ? bytes.subarray(2).toString("utf16le") : bytes.toString("utf8");
  };
  const write = (file: ChangingFile, content: string, byRename = false) => {
    const path = first(file);
    mkdirSync(dirname(path), { recursive: true });
    const bytes =
      file.kind === "utf-16"
        ? Buffer.from(`\uFEFF${content}`, "utf16le")
        : Buffer.from(content, file.kind === "binary" || file.kind === "image" ? "latin1" : "utf8");
    const isLink = file.names[0] === "turning.ts";
    if (byRename && !isLink) {
      writeFileSync(`${path}.new`, bytes);
      renameSync(`${path}.new`, path);
    } else if (isLink) turn(path, bytes);
    else writeFileSync(path, bytes);
    past.set(file, [...(past.get(file) ?? []), content].slice(-6));
  };
  /** Through the link, or by letting it lead elsewhere. */
  const turn = (path: string, bytes: Buffer) => {
    const target = world.at(`targets/${random.below(2)}.ts`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
    rmSync(path, { force: true });
    symlinkSync(target, path);
  };
  const edited = (file: ChangingFile): string => {
    const mark = ++count;
    if (file.kind === "binary") return `\0\u0001${"x".repeat(mark)}`;
    if (file.kind === "image") return PIXEL.toString("latin1") + "\n".repeat(mark);
    if (file.kind === "secret" || file.kind === "denied") return `TOKEN=${CANARY}-${mark}\n`;
    const old = contentOf(file);
    const lines = old === GONE ? [] : old.split(/\r?\n/u).filter((line) => line !== "");
    const ending = file.kind === "crlf" && random.chance(0.8) ? "\r\n" : "\n";
    for (let edits = 1 + random.below(3); edits > 0; edits--) {
      const at = random.below(lines.length + 1);
      const length = lines.length > 30 ? 3 : random.below(2);
      lines.splice(at, length, ...(random.chance(0.8) ? [`line ${mark} ${edits}`] : []));
    }
    if (random.chance(0.04)) return "";
    if (random.chance(0.04)) return lines.join(ending);
    return [...lines, ""].join(ending);
  };
  const rewrite = (file: ChangingFile): Content => {
    write(file, edited(file), random.chance(0.3));
    return contentOf(file);
  };
  const remove = (name: string) => rmSync(world.at(name), { recursive: true, force: true });

  mkdirSync(world.at("real"));
  symlinkSync(world.at("real"), world.at("link"));
  mkdirSync(world.at("private"));
  symlinkSync(world.at(".env"), world.at("settings"));
  symlinkSync(world.at("private/k.ts"), world.at("alias.ts"));
  for (const file of files) {
    write(file, edited(file));
    for (let edits = random.below(12); edits > 0; edits--) write(file, edited(file));
  }

  return {
    contentOf,
    rewrite,
    remove,
    change(file) {
      const content = contentOf(file);
      const [name] = file.names;
      const before = past.get(file)?.at(-2);
      const what = random.below(12);
      if (content === GONE) rewrite(file);
      else if (what === 0) utimesSync(first(file), random.below(1e9), random.below(1e9));
      else if (what === 1) chmodSync(first(file), random.pick([0o644, 0o600]));
      else if (what === 2) remove(name);
      else if (what === 3) write(file, content, true);
      else if (what < 7 && before !== undefined) write(file, before, random.chance(0.5));
      else rewrite(file);
    },
  };
}
