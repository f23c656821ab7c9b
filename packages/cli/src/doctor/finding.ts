// Input and result of a check of `sotto doctor`.

export interface Finding {
  /** The thing that was checked. */
  about: string;
  status: "ok" | "warning" | "problem";
  words: string;
  /** What to do about it. */
  fix?: string;
}

export interface Place {
  cwd: string;
  home: string;
  /** The value of --store. */
  store: string | undefined;
}

/** Returns at least one finding; throwing counts as a problem. */
export type Check = (place: Place) => Finding[] | Promise<Finding[]>;
