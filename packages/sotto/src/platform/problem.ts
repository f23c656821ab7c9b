// Something outside the log that a person should mend: the session goes on without it.

export interface Problem {
  /** A file, or the name of an environment variable. */
  where: string;
  /** Both from 1, where they are known. */
  line?: number;
  column?: number;
  problem: string;
  /** Nothing is wrong with it: it is held back until the user trusts the project's file. */
  needsTrust?: true;
}

/** On one line, as compilers write it. */
export function problemText({ where, line, column, problem }: Problem): string {
  const place = [where, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${problem}`;
}
