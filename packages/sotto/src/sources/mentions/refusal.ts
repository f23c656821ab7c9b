// Why nothing of a mentioned place is shown, in words for the trace.

import type { ListOutcome, ReadOutcome } from "../files/read-outcome.ts";

type Refused = Exclude<ReadOutcome | ListOutcome, { kind: "text" | "binary" }>;

export function refusal(path: string, found: Refused): string {
  switch (found.kind) {
    case "missing":
      return `there is nothing at ${path}`;
    case "denied":
      return `${path} may not be read: ${found.rule}`;
    case "special":
      return `${path} is neither a regular file nor a directory: ${found.what}`;
    case "unreadable":
      return `${path} cannot be read: ${found.why}`;
    case "secret":
      return `${path} looks as if it held secrets`;
    case "directory":
      return `${path} is a directory`;
    case "file":
      return `${path} is not a directory`;
  }
}
