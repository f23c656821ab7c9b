// The requests of one line of conversation, one after the other: what was not changed is sent as it was.

import { type Alignment, align } from "./align.ts";
import { problemsOf } from "./rules.ts";
import type { WireBody, WireMessage, WireName, Written } from "./wires.ts";

export interface Request {
  wire: WireName;
  written: Written;
  sent: WireBody;
  /** Where the body has its messages. */
  field: string;
  /** Keys come in any order: what is compared over time is compared without their order. */
  anyOrder?: boolean;
}

export type LineFault = "prefix" | "invalid" | "bytes";

export interface Line {
  /** `happened`: how many events there were so far. */
  look(request: Request, happened: number): Alignment;
  answered(): void;
}

interface Seen {
  wire: WireName;
  asked: string[];
  sent: string[];
  starts: number[];
  answered: boolean;
  happened: number;
}

export function createLine(report: (fault: LineFault, detail: string) => void): Line {
  let last: Seen | undefined;

  /** What the client has not changed since the last request stands there with all that stood there. */
  function checkPrefix(now: Seen): void {
    if (last === undefined || last.wire !== now.wire) return;
    let same = 0;
    while (same < last.asked.length && last.asked[same] === now.asked[same]) same++;
    const held = same === last.asked.length ? last.sent.length : (last.starts[same] ?? 0);
    const parting = last.sent.slice(0, held).findIndex((bytes, at) => bytes !== now.sent[at]);
    if (parting >= 0) {
      const [was, is] = [last.sent[parting], now.sent[parting]].map(short);
      report("prefix", `message ${parting} of the ${held} to be held: ${was} became ${is}`);
      return;
    }
    const again = same === last.asked.length && same === now.asked.length && !last.answered;
    if (again && last.happened === now.happened && now.sent.length !== last.sent.length)
      report("prefix", "the same request again, nothing has happened, and other bytes");
  }

  return {
    look({ wire, written, sent, field, anyOrder = false }, happened) {
      const list = sent[field] as WireMessage[];
      const alignment = align(written.messages, list);
      for (const detail of alignment.damage) report("bytes", detail);
      if (otherFields(sent, field) !== otherFields(written.body, field))
        report("bytes", "fields beside the messages differ");
      // What the client itself does wrong is not judged.
      if (problemsOf(wire, written.body).length === 0)
        for (const detail of problemsOf(wire, sent)) report("invalid", detail);
      if (alignment.damage.length > 0) return alignment;
      const asked = written.messages.map(({ message }) => bytesOf(message, anyOrder));
      const sentBytes = list.map((message) => bytesOf(message, anyOrder));
      const now = { wire, asked, sent: sentBytes, starts: alignment.starts, answered: false, happened };
      checkPrefix(now);
      last = now;
      return alignment;
    },
    answered() {
      if (last) last.answered = true;
    },
  };
}

function bytesOf(value: unknown, anyOrder: boolean): string {
  return JSON.stringify(anyOrder ? sorted(value) : value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function otherFields(body: WireBody, field: string): string {
  return JSON.stringify({ ...body, [field]: [] });
}

function short(text: string | undefined): string {
  return text === undefined ? "nothing" : text.slice(0, 160);
}
