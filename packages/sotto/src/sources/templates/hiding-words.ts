// Phrases that ask an agent to hide something from its user, which no reminder should.

const HIDING =
  /\b(?:never|do not|don't|without) (?:ever )?(?:mention|tell|inform|reveal|disclos|show)\w*(?: \w+){0,4}? user\b|\b(?:keep|hide) (?:this|it|that)(?: \w+){0,3}? (?:user|secret|yourself)\b|\bhidden from the user\b/giu;

// Enough to show what is meant.
const MOST = 5;

export function hidingWords(text: string): string[] {
  return (text.match(HIDING) ?? []).slice(0, MOST);
}
