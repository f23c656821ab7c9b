// Cutting text.

/** The beginning of a text, never through the middle of a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const code = text.charCodeAt(most - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? most - 1 : most);
}
