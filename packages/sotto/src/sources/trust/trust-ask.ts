// The one list of what a project asks for beyond what it may do by itself.

export type TrustKind =
  | "config"
  | "reminder"
  | "template"
  | "agent"
  | "note"
  | "link"
  | "hooks"
  | "servers"
  | "program";

/** A file of the project that asks for something. A reader that holds something back adds its own to the askers in `project-trust`. */
export interface TrustAsk {
  kind: TrustKind;
  path: string;
  /** As whoever uses the file reads it: this very text is trusted. */
  content: string;
  /** What the book knows it by, where that is not its place in the project. */
  key?: string;
  /** What it asks for, one thing each. */
  asks: readonly string[];
}
