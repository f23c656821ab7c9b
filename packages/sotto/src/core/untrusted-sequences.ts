// Goes past what terminals would not show, where references brought it back or other tools left a part of it.
import { sequenceLength } from "./untrusted-clean.ts";
import { beginsSequence, type Cursor, skipInvisible, skipRaw, step } from "./untrusted-cursor.ts";
import { fold, softHyphen, unknown } from "./untrusted-fold.ts";

/** After a bracket: a character that `clean` showed, or a colour without its escape. */
const leftOver = /^(?:U\+[\dA-F]{4,5}\]|[\d;]{1,12}m)/i;
const plainLeftOver = /(?:U\+[\dA-F]{4,5}\]|[\d;]{1,12}m)/y;

/** What stands for a bracket where `[` could be read as part of a terminal sequence. */
export const besideEscapes = "⟦";

const longestLeftOver = 14;
const longestSequence = 64;

/** Goes past something left over if the bracket just read began it. */
export function skipLeftOver(cursor: Cursor, bracketResolved: boolean): boolean {
  if (!bracketResolved && skipRaw(cursor, plainLeftOver)) return true;
  const ahead = readAhead(
    cursor,
    longestLeftOver,
    (code) => fold(code) === softHyphen || beginsSequence(code),
  );
  return goPast(cursor, ahead, leftOver.exec(ahead.text)?.[0].length ?? 0);
}

/** Goes past the rest of a terminal sequence if the character just read began it. */
export function skipSequence(cursor: Cursor, first: number): boolean {
  const ahead = readAhead(cursor, longestSequence, () => false);
  return goPast(cursor, ahead, sequenceLength(String.fromCharCode(first) + ahead.text) - 1);
}

/** Characters to come, and the cursor after each of them. */
interface Ahead {
  readonly text: string;
  readonly cursors: readonly Cursor[];
}

function readAhead(cursor: Cursor, most: number, isLeftOut: (code: number) => boolean): Ahead {
  const moving = { ...cursor };
  const cursors: Cursor[] = [];
  let text = "";
  skipInvisible(moving);
  while (moving.position < moving.text.length && cursors.length < most) {
    const code = step(moving);
    if (isLeftOut(code)) continue;
    text += String.fromCharCode(
      code < 0xa0 ? code : code === besideEscapes.charCodeAt(0) ? unknown : fold(code),
    );
    skipInvisible(moving);
    cursors.push({ ...moving });
  }
  return { text, cursors };
}

function goPast(cursor: Cursor, { cursors }: Ahead, length: number): boolean {
  const reached = cursors[length - 1];
  if (reached !== undefined) Object.assign(cursor, reached);
  return reached !== undefined;
}
