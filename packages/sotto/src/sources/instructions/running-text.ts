// The running text of a Markdown document, block by block: without code blocks, code spans and comments. Blocks are those of
// CommonMark, with GitHub's tables; a code span or comment never reaches beyond its block. One pass over the lines.

/** A block quote, or a list item: its text is indented by so much. */
type Container = "quote" | { indent: number; isEmpty: boolean };

type Leaf =
  | { kind: "paragraph"; lines: string[] }
  | { kind: "html"; lines: string[]; end: RegExp }
  | { kind: "fence"; fence: string }
  | { kind: "table" };

/** Deeper ones are text. */
const MOST_CONTAINERS = 32;
/** At this indentation code begins. */
const CODE = 4;
const MARKERS = /^[ \t>*+\-\d.)]*/u;
const ITEM = /^(?:[-*+]|(?<number>\d{1,9})[.)])(?= |$)/u;
const HEADING = /^#{1,6}(?=[ \t]|$)/u;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/u;
const BREAK = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/u;
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/u;
const TABLE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/u;
const BLANK = /^[ \t]*$/u;

/** Blocks of HTML: how they begin, and the line they end with. */
const HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^<(?:script|pre|textarea|style)(?=[ \t>]|$)/iu, /<\/(?:script|pre|textarea|style)>/iu],
  [/^<!--/u, /-->/u],
  [/^<\?/u, /\?>/u],
  [/^<![A-Z]/iu, />/u],
  [/^<!\[CDATA\[/u, /\]\]>/u],
  [
    /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[ \t]|\/?>|$)/iu,
    BLANK,
  ],
];
/** Any other tag alone on its line, but not in a paragraph. */
const TAG =
  /^(?:<[a-z][a-z\d-]*(?:[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^ \t"'=<>`]+|'[^']*'|"[^"]*"))?)*[ \t]*\/?>|<\/[a-z][a-z\d-]*[ \t]*>)[ \t]*$/iu;

export function runningText(text: string): string[] {
  const shown: string[] = [];
  const containers: Container[] = [];
  let leaf: Leaf | undefined;
  const lines = text.split(/\r\n?|\n/u);
  const lastCommentEnd = lines.findLastIndex((line) => line.includes("-->"));

  const endLeaf = () => {
    if (leaf?.kind === "paragraph") shown.push(hideCode(leaf.lines.join("\n")));
    else if (leaf?.kind === "html") shown.push(hideCode(leaf.lines.join("\n"), true));
    leaf = undefined;
  };
  const addRow = (row: string) => {
    for (const cell of cellsOf(row)) shown.push(hideCode(cell));
  };

  for (const [number, line] of lines.entries()) {
    let rest = expandTabs(line);
    let depth = 0;
    for (const container of containers) {
      const inner = within(container, rest);
      if (inner === undefined) break;
      rest = inner;
      depth++;
    }
    const leave = () => {
      endLeaf();
      containers.length = depth;
    };
    // Only a paragraph goes on outside of the containers it is in.
    if (depth < containers.length && leaf?.kind !== "paragraph") leave();
    if (leaf?.kind === "fence") {
      if (closes(leaf.fence, rest)) leaf = undefined;
      continue;
    }
    if (leaf?.kind === "html") {
      leaf.lines.push(rest);
      if (leaf.end.test(rest)) endLeaf();
      continue;
    }
    while (containers.length < MOST_CONTAINERS) {
      const started = startContainer(rest, leaf?.kind === "paragraph" && depth === containers.length);
      if (started === undefined) break;
      leave();
      depth = containers.push(started.container);
      rest = started.inner;
    }
    const indent = indentOf(rest);
    const body = rest.slice(indent);
    const isCode = indent >= CODE;
    const paragraph = leaf?.kind === "paragraph" ? leaf : undefined;
    if (body === "" || (isCode && paragraph === undefined)) {
      leave();
      continue;
    }
    if (!isCode) {
      const fence = FENCE.exec(body)?.[0];
      const end = htmlEnd(body, { inParagraph: paragraph !== undefined, canClose: number <= lastCommentEnd });
      const goesOn = depth === containers.length;
      if (paragraph !== undefined && goesOn && UNDERLINE.test(body)) {
        endLeaf();
        continue;
      }
      if (paragraph !== undefined && goesOn && isTable(paragraph.lines.at(-1), body)) {
        const header = paragraph.lines.pop() ?? "";
        endLeaf();
        addRow(header);
        leaf = { kind: "table" };
        continue;
      }
      if (HEADING.test(body) || BREAK.test(body) || fence !== undefined || end !== undefined) {
        leave();
        if (fence !== undefined) leaf = { kind: "fence", fence };
        else if (end === undefined) shown.push(hideCode(body));
        else {
          leaf = { kind: "html", lines: [body], end };
          if (end.test(body)) endLeaf();
        }
        continue;
      }
    }
    if (leaf?.kind === "table") addRow(body);
    else if (paragraph === undefined) leaf = { kind: "paragraph", lines: [body] };
    else paragraph.lines.push(body);
  }
  endLeaf();
  return shown;
}

/** The rest of a line that goes on in this container. */
function within(container: Container, line: string): string | undefined {
  if (container === "quote") return inQuote(line);
  if (BLANK.test(line)) return container.isEmpty ? undefined : "";
  if (indentOf(line) < container.indent) return undefined;
  container.isEmpty = false;
  return line.slice(container.indent);
}

function startContainer(
  line: string,
  interrupts: boolean,
): { container: Container; inner: string } | undefined {
  const quoted = inQuote(line);
  if (quoted !== undefined) return { container: "quote", inner: quoted };
  const indent = indentOf(line);
  const body = line.slice(indent);
  if (indent >= CODE || BREAK.test(body)) return undefined;
  const found = ITEM.exec(body);
  if (found === null) return undefined;
  const mark = found[0];
  const text = body.slice(mark.length);
  const isEmpty = BLANK.test(text);
  if (interrupts && (isEmpty || Number(found.groups?.number ?? 1) !== 1)) return undefined;
  // More spaces begin code.
  const spaces = isEmpty || indentOf(text) > CODE ? 1 : indentOf(text);
  return { container: { indent: indent + mark.length + spaces, isEmpty }, inner: text.slice(spaces) };
}

function inQuote(line: string): string | undefined {
  const mark = /^ {0,3}> ?/u.exec(line)?.[0];
  return mark === undefined ? undefined : line.slice(mark.length);
}

function closes(fence: string, line: string): boolean {
  const body = line.trim();
  return indentOf(line) < CODE && body.startsWith(fence) && body === fence.charAt(0).repeat(body.length);
}

/** What ends the HTML block that begins here. A comment that is never closed is text. */
function htmlEnd(
  body: string,
  { inParagraph, canClose }: { inParagraph: boolean; canClose: boolean },
): RegExp | undefined {
  if (!body.startsWith("<") || (body.startsWith("<!--") && !canClose)) return undefined;
  const end = HTML.find(([start]) => start.test(body))?.[1];
  return end ?? (!inParagraph && TAG.test(body) ? BLANK : undefined);
}

function isTable(header: string | undefined, delimiters: string): boolean {
  return (
    header !== undefined && TABLE.test(delimiters) && cellsOf(header).length === cellsOf(delimiters).length
  );
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "")
    .split(/(?<!\\)\|/u);
}

/** Without comments, and with code spans behind backticks. In HTML there are no code spans. */
function hideCode(text: string, isHtml = false): string {
  if (!/`|<!--/u.test(text)) return text;
  // The places of all runs of a length, the first one last.
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of [...text.matchAll(/`+/gu)].reverse()) {
    const places = runs.get(run.length);
    if (places === undefined) runs.set(run.length, [index]);
    else places.push(index);
  }
  const spanEnd = (length: number, from: number): number | undefined => {
    const places = runs.get(length) ?? [];
    while ((places.at(-1) ?? from) < from) places.pop();
    const close = places.at(-1);
    return close === undefined ? undefined : close + length;
  };
  const lastCommentEnd = text.lastIndexOf("-->");
  const commentEnd = (from: number) => (from <= lastCommentEnd ? text.indexOf("-->", from) + 3 : undefined);
  let visible = "";
  let shownTo = 0;
  const marks = isHtml ? /<!--/gu : /\\[!-/:-@[-`{-~]|`+|<!--/gu;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const { 0: mark, index: start } = found;
    const isComment = mark === "<!--";
    if (mark.startsWith("\\")) continue;
    // `<!-->` is a whole comment.
    const end = isComment ? commentEnd(start + 2) : spanEnd(mark.length, marks.lastIndex);
    if (end === undefined) continue;
    visible += text.slice(shownTo, start) + (isComment ? "" : "`".repeat(end - start));
    shownTo = end;
    marks.lastIndex = end;
  }
  return visible + text.slice(shownTo);
}

function indentOf(line: string): number {
  return line.search(/[^ ]|$/u);
}

/** Tabs before and between markers become spaces: their width depends on where they are. */
function expandTabs(line: string): string {
  const markers = MARKERS.exec(line)?.[0] ?? "";
  if (!markers.includes("\t")) return line;
  let expanded = "";
  for (const character of markers)
    expanded += character === "\t" ? " ".repeat(4 - (expanded.length % 4)) : character;
  return expanded + line.slice(markers.length);
}
