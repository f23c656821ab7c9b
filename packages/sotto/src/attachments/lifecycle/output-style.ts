// The output style: sent when it is set, then at intervals.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";

// Rare enough not to nag, often enough that a long session follows it.
const TURNS_BETWEEN = 10;

const schema = v.object({ style: v.pipe(v.string(), v.nonEmpty()) });

export const outputStyle = defineAttachment({
  type: "output_style",
  summary: "An output style other than the default is set.",
  tier: "main_agent",
  when: `a style other than the default is set: on change, and every ${TURNS_BETWEEN} assistant turns`,
  needs: ["style"],
  schema,
  repeat: "always",
  throttle: { minTurnsBetween: TURNS_BETWEEN },
  trigger({ style: { style, changed } }, { last }) {
    if (style.toLowerCase() === "default") return skip("the default style is set");
    // Changed and changed back before anything was sent is no change.
    const key = last?.data?.style === style ? last.key : undefined;
    return [{ data: { style }, key: key ?? `change-${changed}` }];
  },
  render({ style }) {
    const name = style.charAt(0).toUpperCase() + style.slice(1);
    return `${name.replace(/\s+/gu, " ")} output style is active. Follow its guidelines.`;
  },
  examples: [{ title: "a style", data: { style: "explanatory" } }],
});
