// Notes of a host under a name that is no silent type: refused, or reported where only the log shows them.

import * as v from "valibot";
import type { Asked } from "./ask.ts";
import type { Attachment } from "../attachments/attachment.ts";
import { SottoError } from "../platform/errors.ts";
import { type EventOf, issueText } from "../facts/events.ts";
import type { NoteEdge, NotesFact } from "../facts/notes.ts";

type Catalogue = readonly Attachment[];

/** Throws when what is noted does not fit the silent type it is noted as. */
export function checkNote({ attachment }: EventOf<"noted">, catalogue: Catalogue): void {
  const { type, ...data } = attachment;
  const silent = takerOf(type, catalogue);
  if (silent === undefined) return;
  const fits = v.safeParse(silent.schema, data, { abortEarly: true });
  if (!fits.success)
    throw new SottoError("invalid_event", issueText(`noted.attachment(${type})`, fits.issues[0]));
}

/** Under names nobody takes notes for: an error in the trace, one for each name, and nothing is said. */
export function strayNotes({ pending }: NotesFact, catalogue: Catalogue): Asked[] {
  const strays = pending.filter(({ type }) => takerOf(type, catalogue) === undefined);
  return [...Map.groupBy(strays, ({ type }) => type)].map(([type, edges]) => {
    const isKnown = catalogue.some((one) => one.type === type);
    const reason = isKnown
      ? "the host noted it, and it is no silent type: it is said by itself"
      : `the host noted ${JSON.stringify(type.slice(0, 100))}, and there is no such type`;
    const attachment = strayType(type, isKnown);
    return {
      attachment,
      drafts: edges.map(({ id, data }) => ({
        candidate: { attachment, due: { data, covers: [id] }, hash: "" },
        neutral: [],
        blocks: [],
        tokens: 0,
      })),
      outcome: { outcome: "failed", reason },
      ms: 0,
    };
  });
}

function takerOf(type: string, catalogue: Catalogue): Attachment | undefined {
  return catalogue.find((one) => one.type === type && one.needs.includes("notes"));
}

/** Named as the host did where that can be a name; else, and where a type has an outcome of its own, `noted`. */
function strayType(type: NoteEdge["type"], isKnown: boolean): Attachment {
  const name = !isKnown && /^[a-z][a-z0-9_]{0,99}$/u.test(type) ? type : "noted";
  return {
    type: name,
    generator: "noted",
    summary: "A note of no known type.",
    tier: "event",
    when: "a host notes something under a name that is no silent type",
    needs: ["notes"],
    schema: v.looseObject({}),
    carries: "untrusted",
    trigger: () => [],
    render: () => [],
    examples: [{ title: "a note", data: {} }],
  };
}
