// Looks at what a client asked to send and at what was sent, and at nothing else.

import { align, type SentBlock } from "./align.ts";
import { problemsOf } from "./rules.ts";
import { saidBy } from "./talk.ts";
import type { WireBody, WireMessage, WireName, Written, WrittenMessage } from "./wires.ts";

export const faults = [
  "missing",
  "doubled",
  "back",
  "moved",
  "changed",
  "prefix",
  "invalid",
  "bytes",
] as const;
export type Fault = (typeof faults)[number];

export interface Finding {
  fault: Fault;
  turn: number;
  marker?: string;
  detail: string;
}

export interface Request {
  wire: WireName;
  written: Written;
  sent: WireBody;
  field: string;
  /** Keys come in any order: what is compared over time is compared without their order. */
  anyOrder?: boolean;
}

export interface Judge {
  /** An event was recorded whose text has this marker. */
  expect(marker: string): void;
  /** A request of the conversation. */
  look(request: Request): void;
  /** The request looked at last was answered; `told` where the client said so, too. */
  answered(told: boolean): void;
  /** The client has taken messages out; what stood among them may go with them. */
  dropped(how: "window" | "compaction"): void;
  readonly findings: readonly Finding[];
  /** Markers that the last request lacks and should have. */
  missingAtEnd(): string[];
  /** The text in which a marker was said. */
  textOf(marker: string): string | undefined;
  /** Keys of the pieces directly before reminders that are in the last request. */
  leads(): string[];
  readonly sawMarkers: readonly string[];
}

interface Watch {
  marker: string;
  /** Seen in a request, answered, and the engine could know of the answer. */
  state: "pending" | "sent" | "answered" | "known";
  /** Out of view for good. */
  gone: boolean;
  missing: boolean;
  text?: string;
  sides?: Map<string, Side>;
  lead?: string | undefined;
  follower?: string | undefined;
  /** Messages were taken out since it was seen last. */
  loosened?: "window" | "compaction" | undefined;
  seen: boolean;
}

interface Side {
  before: boolean;
  said: string;
}

interface Last {
  wire: WireName;
  asked: string[];
  sent: string[];
  starts: number[];
  answered: boolean;
  expected: number;
}

export function createJudge(): Judge {
  const watches: Watch[] = [];
  const findings: Finding[] = [];
  let turn = 0;
  let last: Last | undefined;

  const report = (fault: Fault, detail: string, marker?: string) => {
    findings.push({ fault, turn, detail, ...(marker !== undefined && { marker }) });
  };

  function look({ wire, written, sent, field, anyOrder = false }: Request): void {
    turn++;
    const list = sent[field] as WireMessage[];
    const { blocks, starts, damage } = align(written.messages, list);
    for (const detail of damage) report("bytes", detail);
    if (otherFields(sent, field) !== otherFields(written.body, field))
      report("bytes", "fields beside the messages differ");
    const refused = new Set(problemsOf(wire, written.body));
    for (const detail of problemsOf(wire, sent)) if (refused.size === 0) report("invalid", detail);
    if (damage.length === 0) {
      const now: Last = {
        wire,
        asked: written.messages.map(({ message }) => bytesOf(message, anyOrder)),
        sent: list.map((message) => bytesOf(message, anyOrder)),
        starts,
        answered: false,
        expected: watches.length,
      };
      checkPrefix(now);
      last = now;
    }
    const quotes = written.messages.filter(({ kept }) => !kept);
    const ownText = JSON.stringify(quotes.map(({ message }) => message));
    const allText = JSON.stringify(list);
    for (const watch of watches) {
      const count = occurrences(allText, watch.marker) - occurrences(ownText, watch.marker);
      inspect(watch, { count, blocks, asked: written.messages, wire });
    }
  }

  /** What the client has not changed since the last request is sent as it was then, with all that stood there. */
  function checkPrefix(now: Last): void {
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
    if (again && last.expected === now.expected && now.sent.length !== last.sent.length)
      report("prefix", "the same request again, nothing has happened, and other bytes");
  }

  function inspect(
    watch: Watch,
    seen: { count: number; blocks: SentBlock[]; asked: WrittenMessage[]; wire: WireName },
  ): void {
    const { count, blocks, asked, wire } = seen;
    if (count > 1) report("doubled", `${count} times`, watch.marker);
    if (count === 0) {
      absent(watch, asked);
      return;
    }
    if (watch.gone) report("back", "was out of view, and stands there again", watch.marker);
    watch.gone = false;
    watch.missing = false;
    const place = blocks.findIndex(({ text, piece }) => piece === undefined && text.includes(watch.marker));
    // Where a client keeps it, where it stands is the client's affair.
    if (place >= 0) checkPlace(watch, place, blocks, wire);
    settle(watch);
  }

  function checkPlace(watch: Watch, place: number, blocks: SentBlock[], wire: WireName): void {
    const text = blocks[place]?.text ?? "";
    const before = blocks.slice(0, place).flatMap(({ piece }) => piece ?? []);
    const after = blocks.slice(place + 1).flatMap(({ piece }) => piece ?? []);
    const sides = new Map<string, Side>();
    for (const piece of before) sides.set(piece.key, { before: true, said: saidBy(piece) });
    for (const piece of after) sides.set(piece.key, { before: false, said: saidBy(piece) });
    if (!watch.seen) checkNew(watch, blocks.slice(place + 1), wire);
    const confirmed = watch.state === "answered" || watch.state === "known";
    const placeIsLeft = watch.lead === undefined || sides.has(watch.lead);
    if (confirmed && watch.sides !== undefined) {
      const crossed = [...watch.sides].filter(([key, side]) => {
        const now = sides.get(key);
        return now !== undefined && now.said === side.said && now.before !== side.before;
      });
      const asNew = !placeIsLeft && after.length === 0;
      if (crossed.length > 0 && !asNew)
        report("moved", `past ${crossed.map(([key]) => key).join()}`, watch.marker);
      if (watch.text !== undefined && watch.text !== plain(text) && crossed.length === 0)
        report("changed", `${watch.text} became ${plain(text)}`, watch.marker);
    }
    watch.text = plain(text);
    watch.sides = sides;
    watch.lead = before.at(-1)?.key;
    watch.follower = after[0]?.key;
  }

  /** What is new comes behind all that was there; before Anthropic's last word only where that is the model's own. */
  function checkNew(watch: Watch, behind: readonly SentBlock[], wire: WireName): void {
    const own = behind.filter(
      ({ piece, text }) => piece !== undefined && !(wire === "anthropic" && text.startsWith("assistant ")),
    );
    if (own.length > 0)
      report("moved", `new, and put before ${own.map(({ piece }) => piece?.key).join()}`, watch.marker);
  }

  function settle(watch: Watch): void {
    watch.seen = true;
    if (watch.state === "pending") watch.state = "sent";
    if (watch.state === "answered") watch.state = "known";
    watch.loosened = undefined;
  }

  function absent(watch: Watch, asked: readonly WrittenMessage[]): void {
    if (watch.gone) return;
    const keys = new Set(asked.flatMap(({ pieces }) => pieces.map(({ key }) => key)));
    const lead = watch.lead !== undefined && keys.has(watch.lead);
    const follower = watch.follower !== undefined && keys.has(watch.follower);
    const confirmed = watch.state === "answered" || watch.state === "known";
    const free =
      watch.loosened === "window"
        ? !lead && !follower
        : watch.loosened === "compaction" && !(lead && follower);
    if (confirmed && free) {
      watch.gone = true;
      return;
    }
    if (!watch.missing) report("missing", watch.seen ? "was sent before" : "was never sent", watch.marker);
    watch.missing = true;
  }

  return {
    findings,
    look,
    expect: (marker) =>
      void watches.push({ marker, state: "pending", gone: false, missing: false, seen: false }),
    answered(told) {
      if (last) last.answered = true;
      for (const watch of watches)
        if (watch.state === "sent" && !watch.missing) watch.state = told ? "known" : "answered";
    },
    dropped(how) {
      for (const watch of watches) watch.loosened = watch.loosened === "compaction" ? "compaction" : how;
    },
    missingAtEnd: () =>
      watches.filter(({ missing, seen, gone }) => (missing || !seen) && !gone).map(({ marker }) => marker),
    textOf: (marker) => watches.find((watch) => watch.marker === marker)?.text,
    leads: () => watches.flatMap(({ lead }) => lead ?? []),
    get sawMarkers() {
      return watches
        .filter(
          ({ state, gone, missing }) => (state === "answered" || state === "known") && !gone && !missing,
        )
        .map(({ marker }) => marker);
    },
  };
}

/** The words of an added block. */
function plain(text: string): string {
  return (JSON.parse(text.slice(text.indexOf(" ") + 1)) as { text: string }).text;
}

function bytesOf(value: unknown, anyOrder: boolean): string {
  return anyOrder ? JSON.stringify(sorted(value)) : JSON.stringify(value);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function otherFields(body: WireBody, field: string): string {
  return JSON.stringify({ ...body, [field]: [] });
}

function occurrences(text: string, marker: string): number {
  return text.split(marker).length - 1;
}

function short(text: string | undefined): string {
  return text === undefined ? "nothing" : text.slice(0, 160);
}
