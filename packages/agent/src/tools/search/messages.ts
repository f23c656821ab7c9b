// What the search worker is asked, and what it says.

export type SearchJob = SearchGround &
  ({ kind: "glob"; pattern: string; most: number } | { kind: "grep"; question: GrepQuestion });

/** Where is looked. */
export interface SearchGround {
  /** Behind all links. */
  root: string;
  /** As it was asked for. */
  named: string;
  /** What may not be read. */
  denial: { cwd: string; denyRead: readonly string[] };
}

export interface GrepQuestion {
  pattern: string;
  ignoreCase: boolean;
  /** A match may go over several lines, and a dot stands for a line break, too. */
  multiline: boolean;
  /** Gitignore-style: only such files. */
  glob?: string | undefined;
  before: number;
  after: number;
  /** Only whether there is a match. */
  firstOnly: boolean;
}

/** What was found in one file. */
export interface FileHits {
  path: string;
  /** Lines with a match. */
  count: number;
  /** Matches and what is around them, in order. */
  lines: HitLine[];
}

export interface HitLine {
  number: number;
  text: string;
  isMatch: boolean;
}

export type SearchMessage =
  | { kind: "started" }
  | { kind: "hits"; hits: FileHits }
  | { kind: "paths"; paths: string[]; total: number }
  | { kind: "skipped"; path: string; why: string }
  | { kind: "wrong"; problem: string };
