// The `@path` imports of a memory file: in running text, not in code and not in comments. One pass over the lines.

const TOKEN = /(?<=^|\s)@((?:\\ |\S)+)/gu;
const URL_LIKE = /^[a-z][a-z0-9+.-]*:\/\//iu;
/** No file system knows longer paths. */
const LONGEST = 4096;
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/u;
const LIST_MARK = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/u;
/** Indentation, quote and list marks, behind which a fence can begin. */
const BEFORE_FENCE = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t]+))*[ \t]*/u;

/** What is imported, in order, each once; `\ ` already a space. */
export function importsIn(text: string): string[] {
  const found = new Set<string>();
  if (!text.includes("@")) return [];
  for (const paragraph of paragraphs(text)) {
    if (!paragraph.includes("@")) continue;
    for (const [, token = ""] of hideCodeSpans(paragraph).matchAll(TOKEN)) {
      const path = token.replaceAll("\\ ", " ");
      // A lone mark names nothing.
      if (path.length <= LONGEST && /[\p{L}\p{N}]/u.test(path) && !URL_LIKE.test(path)) found.add(path);
    }
  }
  return [...found];
}

/** Running text without blocks of code and comments. A code span does not reach from one paragraph to the next. */
function* paragraphs(text: string): Generator<string> {
  const lastCommentEnd = text.lastIndexOf("-->");
  let nextLine = 0;
  let paragraph = "";
  let fence: string | undefined;
  let isComment = false;
  // Only there can indented code begin.
  let afterBlank = true;
  let listIndent = 0;
  for (const written of text.split("\n")) {
    nextLine += written.length + 1;
    let line = written;
    if (isComment) {
      const end = line.indexOf("-->");
      if (end === -1) continue;
      isComment = false;
      line = line.slice(end + 3);
    } else if (fence !== undefined) {
      const closing = line.replace(BEFORE_FENCE, "").trimEnd();
      if (!closing.startsWith(fence) || closing !== fence[0]?.repeat(closing.length)) continue;
      fence = undefined;
      afterBlank = true;
      continue;
    } else if (line.trim() === "") {
      yield paragraph;
      paragraph = "";
      afterBlank = true;
      continue;
    } else {
      const indent = indentOf(line);
      if (afterBlank && indent >= listIndent + 4) continue;
      fence = FENCE.exec(line.replace(BEFORE_FENCE, ""))?.[0];
      if (fence !== undefined) {
        yield paragraph;
        paragraph = "";
        continue;
      }
      const mark = LIST_MARK.exec(line)?.[0];
      if (mark !== undefined) listIndent = indentOf(mark.replace(/\S/gu, " "));
      else if (afterBlank && indent === 0) listIndent = 0;
      afterBlank = false;
    }
    const { visible, isOpen } = hideComments(line);
    // A comment that is never closed is text.
    isComment = isOpen && nextLine <= lastCommentEnd;
    paragraph += `${isComment ? visible : isOpen ? line : visible}\n`;
  }
  yield paragraph;
}

function hideComments(line: string): { visible: string; isOpen: boolean } {
  if (!line.includes("<!--")) return { visible: line, isOpen: false };
  const searched = hideCodeSpans(line);
  let visible = "";
  let from = 0;
  for (;;) {
    const start = searched.indexOf("<!--", from);
    if (start === -1) return { visible: visible + line.slice(from), isOpen: false };
    visible += line.slice(from, start);
    const end = searched.indexOf("-->", start + 4);
    if (end === -1) return { visible, isOpen: true };
    from = end + 3;
  }
}

/** Code spans become backticks, so that every character stays where it is. */
function hideCodeSpans(text: string): string {
  if (!text.includes("`")) return text;
  const runs = [...text.matchAll(/`+/gu)].map(({ index, 0: run }) => ({
    start: index,
    end: index + run.length,
  }));
  // The next run of the same length, found from the back.
  const closing = new Map<number, number>();
  const nextOfLength = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const { start, end } = runs[index] as { start: number; end: number };
    const next = nextOfLength.get(end - start);
    if (next !== undefined) closing.set(index, next);
    nextOfLength.set(end - start, index);
  }
  let hidden = "";
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const close = closing.get(index);
    const { start } = runs[index] as { start: number };
    if (close === undefined || (start > 0 && text[start - 1] === "\\")) continue;
    const { end } = runs[close] as { end: number };
    hidden += text.slice(from, start) + "`".repeat(end - start);
    from = end;
    index = close;
  }
  return hidden + text.slice(from);
}

function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns++;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}
