// All files of a project, for names that may be anywhere in it.

import { readlink, stat } from "node:fs/promises";
import { below } from "../../platform/paths.ts";
import { walk } from "../files/list.ts";
import type { PartPattern } from "./name-patterns.ts";

export interface ProjectFiles {
  /** Not `node_modules` and `.git`. */
  files: readonly { path: string; parts: readonly string[] }[];
  /** Where links to directories lead, by their paths. */
  links: Readonly<Record<string, string>>;
  /** There are not too many. */
  isWhole: boolean;
}

const MOST_ENTRIES = 20_000;

export async function projectFiles(root: string): Promise<ProjectFiles> {
  const files: { path: string; parts: string[] }[] = [];
  const links: Record<string, string> = {};
  const isWhole = await walk(root, {
    most: MOST_ENTRIES,
    async see(path, entry) {
      if (entry.isDirectory()) return;
      if (entry.isSymbolicLink() && (await stat(path).catch(() => undefined))?.isDirectory())
        links[path] = `link to ${await readlink(path).catch(() => "")}`;
      else files.push({ path, parts: (below(root, path) ?? "").split("/") });
    },
  });
  return { files, links, isWhole };
}

/** The files whose paths end with these parts, also without their extension, or are in a directory that does. */
export function endingWith(
  { files }: ProjectFiles,
  parts: readonly (PartPattern | string)[],
  { withDirectories }: { withDirectories: boolean },
): string[] {
  const last = parts.slice(parts.lastIndexOf("**") + 1);
  return files
    .filter(({ parts: own }) => {
      for (let end = own.length; end >= last.length; end--) {
        const isFile = end === own.length;
        if (!isFile && !withDirectories) return false;
        if (
          last.every((part, index) =>
            fits(part, own[end - last.length + index] as string, isFile && index === last.length - 1),
          )
        )
          return true;
      }
      return false;
    })
    .map(({ path }) => path);
}

function fits(part: PartPattern | string, name: string, isLast: boolean): boolean {
  if (typeof part === "string") return name === part || (isLast && name.startsWith(`${part}.`));
  return (
    name.length >= part.head.length + part.tail.length &&
    name.startsWith(part.head) &&
    name.endsWith(part.tail)
  );
}
