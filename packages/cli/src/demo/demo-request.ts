// A request of the demo as the model receives it: what is new in it, one reminder in full.

import type { Heard, TypeOf } from "../../../agent/src/rehearsal/expectations.ts";
import type { Style } from "../../../agent/src/terminal/style.ts";
import { cut, printable } from "../../../agent/src/terminal/text.ts";
import { wrapped } from "../../../agent/src/terminal/word-wrap.ts";

export interface RequestLook {
  style: Style;
  width: number;
  typeOf: TypeOf;
  /** The types to show in full, with what each is about. */
  spotlights: ReadonlyMap<string, string>;
}

/** Nothing where there is no reminder in it that is worth the room. */
export function requestPage(heard: readonly Heard[], look: RequestLook): string | undefined {
  const { style, width, typeOf, spotlights } = look;
  const shown = heard.findLast(({ kind, text }) => kind === "reminder" && spotlights.has(typeOf(text) ?? ""));
  if (shown === undefined) return undefined;
  const type = typeOf(shown.text) ?? "";
  const bar = (text: string) => `${style.dim("  │")} ${text}`.trimEnd();
  const room = width - 4;
  const rows = heard.flatMap((one) =>
    one === shown
      ? ["", ...wrapped(printable(one.text).trim(), room).split("\n").map(style.accent), ""]
      : [style.dim(cut(`${nameOf(one, typeOf)}: ${withoutTag(one.text)}`, room))],
  );
  const caption = wrapped(`${type}: ${spotlights.get(type)}`, width - 5).split("\n");
  return [
    style.dim("  ╭─ new in this request, as the model receives it"),
    ...rows.join("\n").trim().split("\n").map(bar),
    ...caption.map((line, index) => `${style.dim(index === 0 ? "  ╰─" : "    ")} ${style.bold(line)}`),
  ].join("\n");
}

function nameOf({ kind, text }: Heard, typeOf: TypeOf): string {
  if (kind === "reminder") return typeOf(text) ?? "reminder";
  return { result: "tool result", text: "prompt", image: "image" }[kind];
}

function withoutTag(text: string): string {
  return text.replace(/<\/?system-reminder>/gu, " ");
}
