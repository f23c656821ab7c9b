// The engine's own estimate of tokens: by class of character, cheap, and no dictionary to load.

// Per class, tokens a character: a word of Latin letters is about 1.3 tokens, CJK about one a character.
const WORD =
  /[\p{Script=Latin}\p{M}]+|\d{1,3}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\p{L}{1,3}|[^\S\n]+|\n+|[^\p{L}\p{N}\s]/gu;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(WORD)) {
    const first = piece.charCodeAt(0);
    if (first === 32 || first === 9) tokens += piece.length > 1 ? 0.5 : 0;
    else if (first === 10) tokens += 0.6;
    else if (first < 0x250 && isLetter(first)) tokens += Math.max(1, piece.length / 5.5);
    else if (first < 128) tokens += first >= 48 && first <= 57 ? 1 : 0.75;
    else tokens += 0.9;
  }
  return Math.ceil(tokens);
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code >= 0xc0;
}

// What providers charge for an image that was scaled to fit: about (1568 × 1568) / 750 at the most.
export const IMAGE_TOKENS = 1600;
