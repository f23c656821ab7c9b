// Events of type `noted`: checked against the silent type they are for, or reported if there is none.

import * as v from "valibot";
import { type Attachment, checkData } from "../attachments/attachment.ts";
import type { EventOf } from "../facts/events.ts";
import type { NoteEdge, NotesFact } from "../facts/host-notes.ts";
import { SottoError } from "../platform/errors.ts";
import type { Answer } from "./ask.ts";

type Catalogue = readonly Attachment[];

/** Throws if the note does not fit its type's schema. */
export function checkNote({ attachment }: EventOf<"noted">, catalogue: Catalogue): void {
  const { type, ...data } = attachment;
  const silent = takerOf(type, catalogue);
  if (silent === undefined) return;
  const checked = checkData(silent.schema, data, `noted.attachment(${type})`);
  if ("problem" in checked) throw new SottoError("invalid_event", checked.problem);
}

/** Notes under a name that no silent type has: one failure per name in the trace, and nothing is sent. */
export function strayNotes({ pending }: NotesFact, catalogue: Catalogue): Answer[] {
  const strays = pending.filter(({ type }) => takerOf(type, catalogue) === undefined);
  return [...Map.groupBy(strays, ({ type }) => type)].map(([type, edges]) => {
    const isKnown = catalogue.some((one) => one.type === type);
    const reason = isKnown
      ? "the host noted it, but it is not a silent type: it is sent by itself"
      : `the host noted ${JSON.stringify(type.slice(0, 100))}, but there is no such type`;
    const attachment = strayType(type, isKnown);
    return {
      attachment,
      drafts: edges.map(({ id, data }) => ({
        attachment,
        due: { data, covers: [id] },
        hash: "",
        content: [],
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

/** Has the host's name if that is a valid one; otherwise, and if a type has that name, `noted`. */
function strayType(type: NoteEdge["type"], isKnown: boolean): Attachment {
  const name = !isKnown && /^[a-z][a-z0-9_]{0,99}$/u.test(type) ? type : "noted";
  return {
    type: name,
    generator: "noted",
    summary: "A note under an unknown name.",
    tier: "event",
    when: "a host notes something under a name that no silent type has",
    needs: ["notes"],
    schema: v.looseObject({}),
    trigger: () => [],
    render: () => [],
    examples: [{ title: "a note", data: {} }],
  };
}
