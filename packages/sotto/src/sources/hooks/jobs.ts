// Jobs for the worker: regular expressions that users wrote.

/** Unanchored, as coding agents take matchers. */
export function matches({ matcher, subject }: { matcher: string; subject: string }): boolean {
  return new RegExp(matcher).test(subject);
}
