// A type of reminder as catalogues list it.

import { type Attachment, renderAttachment } from "sotto";

export interface CatalogEntry {
  type: string;
  generator: string;
  tier: string;
  tag: string;
  trigger: string;
  throttle: string;
  /** Whether it is on unless config says otherwise. */
  default: boolean;
  examples: { text: string }[];
}

export const TIERS: Record<Attachment["tier"], string> = {
  event: "raised by an event",
  user_prompt: "with a user's prompt",
  core: "for every agent",
  main_agent: "for the main agent only",
};

export function catalogEntry(attachment: Attachment): CatalogEntry {
  const { type, generator, tier, when, examples, defaultEnabled } = attachment;
  const texts = examples.map(({ data }) => renderAttachment(attachment, data));
  return {
    type,
    generator,
    tier,
    tag: tagOf(attachment, texts),
    trigger: when,
    throttle: throttleOf(attachment),
    default: defaultEnabled ?? true,
    examples: texts.map((text) => ({ text })),
  };
}

/** The tag around the whole; where an attachment brings its own, its text begins with it. */
function tagOf({ wrap }: Attachment, texts: readonly string[]): string {
  const own =
    wrap === "own-tags" ? /^<([\w-]+)/u.exec(texts.find((text) => text !== "") ?? "")?.[1] : undefined;
  return own ?? "system-reminder";
}

function throttleOf({ throttle = {}, oneShot, repeats }: Attachment): string {
  const { minTurnsBetween, minTurnsAfterTrigger, maxPerSession, backsOff, sinceWhat } = throttle;
  const rules = [
    ...(minTurnsAfterTrigger ? [`${minTurnsAfterTrigger} turns after ${sinceWhat ?? "its trigger"}`] : []),
    ...(minTurnsBetween
      ? [`${minTurnsBetween} turns apart${backsOff ? ", twice as many each time it is ignored" : ""}`]
      : []),
    ...(maxPerSession === undefined ? [] : [`at most ${maxPerSession} a session`]),
  ];
  if (rules.length > 0) return rules.join("; ");
  if (oneShot) return "once each";
  return repeats ? "whenever it is due" : "the same content once while it is in view";
}
