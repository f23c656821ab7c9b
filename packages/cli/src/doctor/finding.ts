// What a check of `sotto doctor` gives, and what it is given.

export interface Finding {
  /** What was looked at, in a word or two. */
  about: string;
  status: "ok" | "warning" | "problem";
  words: string;
  /** What to do about it. */
  fix?: string;
}

export interface Place {
  cwd: string;
  home: string;
  /** What the caller wrote after --store. */
  store: string | undefined;
}

/** Gives at least one finding; one that throws is a problem by itself. */
export type Check = (place: Place) => Finding[] | Promise<Finding[]>;
