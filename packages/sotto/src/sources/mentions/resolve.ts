// Which of the things that a prompt mentions exist: the first reading of each that exists counts.

import { absolutePath } from "../../platform/paths.ts";
import { type SpecialKind, specialWords } from "../files/read-outcome.ts";
import type { Mention, PathReading } from "./parse-mentions.ts";

/** The result of a lookup; compatible with the reader's `stat`. */
export interface MentionedPlace {
  kind: "file" | "directory" | "missing" | "denied" | "special" | "unreadable";
  /** The rule that denies it. */
  rule?: string;
  /** The kind of special file. */
  what?: SpecialKind;
  /** Why it cannot be read. */
  why?: string;
}

/** A file that a prompt mentions. */
export interface MentionedFile {
  path: string;
  lineStart?: number;
  lineEnd?: number;
  /** Replaces the content. */
  note?: string;
}

/** Paths are absolute. Unresolved mentions are not errors: the reason is for the trace. */
export interface ResolvedMentions {
  files: MentionedFile[];
  directories: string[];
  mcp: { server: string; uri: string }[];
  agents: string[];
  unresolved: { text: string; reason: string }[];
}

export interface ResolveOptions {
  cwd: string;
  home: string;
  stat(path: string): Promise<MentionedPlace>;
  /** How many places are looked up at most; a pasted log can mention thousands. */
  most?: number;
}

type PathMention = Extract<Mention, { kind: "path" }>;
type Found = { file: MentionedFile } | { directory: string } | { reason: string };

const MOST_LOOK_UPS = 1000;

export async function resolveMentions(
  mentions: readonly Mention[],
  options: ResolveOptions,
): Promise<ResolvedMentions> {
  const lookUp = createLookUp(options);
  const files = new Map<string, MentionedFile>();
  const directories = new Set<string>();
  const mcp = new Map<string, { server: string; uri: string }>();
  const agents = new Set<string>();
  const unresolved: { text: string; reason: string }[] = [];
  for (const mention of mentions) {
    if (mention.kind === "agent") agents.add(mention.agentType);
    else if (mention.kind === "mcp") {
      const { server, uri } = mention;
      mcp.set(JSON.stringify([server, uri]), { server, uri });
    } else {
      const found = await resolvePath(mention, options, lookUp);
      if ("directory" in found) directories.add(found.directory);
      else if ("reason" in found) unresolved.push({ text: mention.text, reason: found.reason });
      else {
        const { path, lineStart, lineEnd } = found.file;
        const key = JSON.stringify([path, lineStart, lineEnd]);
        if (!files.has(key)) files.set(key, found.file);
      }
    }
  }
  return {
    files: [...files.values()],
    directories: [...directories],
    mcp: [...mcp.values()],
    agents: [...agents],
    unresolved,
  };
}

async function resolvePath(
  { candidates }: PathMention,
  { cwd, home }: ResolveOptions,
  lookUp: (path: string) => Promise<MentionedPlace>,
): Promise<Found> {
  let missing: string | undefined;
  for (const reading of candidates) {
    for (const spelling of spellings(reading.path)) {
      if (spelling.includes("\0")) return { reason: "a path cannot hold a NUL character" };
      const path = absolutePath(spelling.startsWith("~/") ? `${home}${spelling.slice(1)}` : spelling, cwd);
      if (path === "/") return { reason: "the root directory is not listed" };
      const place = await lookUp(path);
      const { kind } = place;
      if (kind === "directory") return { directory: path };
      if (kind === "file" && !spelling.endsWith("/")) return { file: fileOf(path, reading) };
      if (kind === "file") missing ??= `${path} is not a directory`;
      else if (kind === "missing") missing ??= `there is nothing at ${path}`;
      else return { reason: refusal(path, place) };
    }
  }
  return { reason: missing ?? "names no path" };
}

function refusal(path: string, { kind, rule, what, why }: MentionedPlace): string {
  if (kind === "denied") return `${path} may not be read${rule === undefined ? "" : `: ${rule}`}`;
  if (kind === "special")
    return `${path} is neither a regular file nor a directory${what === undefined ? "" : ` but ${specialWords(what)}`}`;
  return `${path} cannot be read${why === undefined ? "" : `: ${why}`}`;
}

function fileOf(path: string, { lineStart, lineEnd, problem }: PathReading): MentionedFile {
  return {
    path,
    ...(lineStart === undefined ? {} : { lineStart }),
    ...(lineEnd === undefined ? {} : { lineEnd }),
    ...(problem === undefined ? {} : { note: problem }),
  };
}

/** Keyboards and file systems differ in whether é is one character or two. */
function spellings(path: string): Set<string> {
  return new Set([path, path.normalize("NFC"), path.normalize("NFD")]);
}

/** Each place once, one after the other, up to a limit; a failed lookup has a reason. */
function createLookUp({
  stat,
  most = MOST_LOOK_UPS,
}: ResolveOptions): (path: string) => Promise<MentionedPlace> {
  const known = new Map<string, MentionedPlace>();
  return async (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    if (known.size >= most) return { kind: "unreadable", why: `more than ${most} places are mentioned` };
    const place = await attempt(path, stat);
    known.set(path, place);
    return place;
  };
}

async function attempt(path: string, stat: ResolveOptions["stat"]): Promise<MentionedPlace> {
  try {
    return await stat(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "unreadable", why };
  }
}
