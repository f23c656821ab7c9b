// Worker jobs: regular expressions written by users.

/** Unanchored, like the matchers of coding agents. */
export function matches({ matcher, subject }: { matcher: string; subject: string }): boolean {
  return new RegExp(matcher).test(subject);
}
