// Looks at what a client asked to send and at what was sent, and at nothing else: every event in every later request,
// once, in the same words at the same place.

import type { SentBlock } from "./align.ts";
import { createLine, type Line, type Request } from "./line.ts";
import { type Piece, saidBy } from "./talk.ts";
import type { WrittenMessage } from "./wires.ts";

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

/** How messages can leave a history. */
export type Drop = "window" | "compaction" | "said";

export interface Judge {
  /** An event was recorded whose text has this marker. */
  expect(marker: string): void;
  /** A request of the conversation. */
  look(request: Request): void;
  /** The request looked at last was answered, with these pieces. */
  answered(pieces: readonly Piece[]): void;
  /** A request beside the conversation; those of one name go on from each other. */
  lookAside(name: string, request: Request): void;
  /** The client has taken messages out; what stood among them may go with them. */
  dropped(how: Drop): void;
  readonly findings: readonly Finding[];
  /** Markers that the last request lacks and should have. */
  missingAtEnd(): string[];
  /** The texts of answered reminders that are in view. */
  texts(): string[];
  /** Keys of the pieces directly before reminders. */
  leads(): string[];
}

interface Watch {
  marker: string;
  state: "pending" | "sent" | "answered";
  /** Sent in a request beside the conversation. */
  aside: boolean;
  /** Out of view for good. */
  gone: boolean;
  missing: boolean;
  /** The client has it in its own history. */
  kept: boolean;
  text?: string;
  /** Where the client's pieces stood, seen from it. */
  sides: Map<string, Side>;
  lead?: string | undefined;
  follower?: string | undefined;
  /** Messages were taken out since it was seen last. */
  loosened?: Drop | undefined;
}

interface Side {
  before: boolean;
  said: string;
}

export function createJudge(): Judge {
  const watches: Watch[] = [];
  const findings: Finding[] = [];
  const asides = new Map<string, Line>();
  let turn = 0;

  const report = (fault: Fault, detail: string, marker?: string) =>
    void findings.push({ fault, turn, detail, ...(marker !== undefined && { marker }) });
  const main = createLine(report);

  function look(request: Request): void {
    // A conversation that begins cannot be told from one that was summarised after what stood beside it.
    if (turn++ === 0) dropped("compaction");
    const { blocks } = main.look(request, watches.length);
    const countOf = counter(request);
    for (const watch of watches) {
      const count = countOf(watch.marker);
      if (count > 1) report("doubled", `${count} times`, watch.marker);
      if (count === 0) absent(watch, request.written.messages);
      else present(watch, blocks);
    }
  }

  function lookAside(name: string, request: Request): void {
    const line =
      asides.get(name) ?? createLine((fault, detail) => report(fault, `beside, ${name}: ${detail}`));
    asides.set(name, line);
    line.look(request, watches.length);
    line.answered();
    const countOf = counter(request);
    for (const watch of watches) {
      const count = countOf(watch.marker);
      if (count > 0) watch.aside = true;
      if (count > 1) report("doubled", `beside, ${name}: ${count} times`, watch.marker);
    }
  }

  function present(watch: Watch, blocks: SentBlock[]): void {
    if (watch.gone) report("back", "was out of view, and stands there again", watch.marker);
    const place = blocks.findIndex(({ text, piece }) => piece === undefined && text.includes(watch.marker));
    watch.kept = place < 0;
    // Where a client keeps it, where it stands is the client's affair.
    if (!watch.kept) checkPlace(watch, place, blocks);
    if (watch.state === "pending") watch.state = "sent";
    Object.assign(watch, { gone: false, missing: false, loosened: undefined });
  }

  function checkPlace(watch: Watch, place: number, blocks: SentBlock[]): void {
    const text = wordsOf(blocks[place]?.text ?? "");
    const before = blocks.slice(0, place).flatMap(({ piece }) => piece ?? []);
    const after = blocks.slice(place + 1).flatMap(({ piece }) => piece ?? []);
    const sides = new Map<string, Side>();
    for (const piece of before) sides.set(piece.key, { before: true, said: saidBy(piece) });
    for (const piece of after) sides.set(piece.key, { before: false, said: saidBy(piece) });
    if (watch.state === "pending") checkNew(watch, blocks.slice(place + 1));
    if (watch.state === "answered" && !watch.missing && !watch.gone) {
      const crossed = crossedBy(watch, sides);
      // Where what stood before it is gone, or the client says that all is new, it may be said again as something new.
      const noPlace = watch.lead !== undefined && !sides.has(watch.lead);
      const asNew = (noPlace || watch.loosened === "said") && after.length === 0;
      if (crossed.length > 0 && !asNew) report("moved", `past ${crossed.join()}`, watch.marker);
      else if (watch.text !== text && !asNew) report("changed", `${watch.text} became ${text}`, watch.marker);
    }
    Object.assign(watch, { text, sides, lead: before.at(-1)?.key, follower: after[0]?.key });
  }

  /** What is new comes behind all that was there; the last word may be the model's, begun for it. */
  function checkNew(watch: Watch, behind: readonly SentBlock[]): void {
    const begun = ({ piece, text }: SentBlock) =>
      piece?.is === "thinking" || /^(?:assistant|model) /u.test(text);
    const passed = behind.filter((block) => block.piece !== undefined && !begun(block));
    const keys = passed.map(({ piece }) => piece?.key).join();
    if (passed.length > 0) report("moved", `new, and put before ${keys}`, watch.marker);
  }

  function absent(watch: Watch, asked: readonly WrittenMessage[]): void {
    if (watch.gone) return;
    if (mayLeave(watch, asked)) watch.gone = true;
    else if (!watch.missing) {
      report("missing", watch.state === "pending" ? "was never sent" : "was sent before", watch.marker);
      watch.missing = true;
    }
  }

  function dropped(how: Drop): void {
    const rank: Drop[] = ["window", "compaction", "said"];
    for (const watch of watches) {
      watch.loosened = rank[Math.max(rank.indexOf(how), rank.indexOf(watch.loosened ?? how))];
    }
    if (how === "said") asides.clear();
  }

  return {
    findings,
    look,
    lookAside,
    expect: (marker) =>
      void watches.push({
        marker,
        state: "pending",
        aside: false,
        gone: false,
        missing: false,
        kept: false,
        sides: new Map(),
      }),
    answered(pieces) {
      main.answered();
      for (const watch of watches) {
        if (watch.missing || watch.gone || watch.state === "pending") continue;
        watch.state = "answered";
        // What answers it comes after it.
        if (watch.follower !== undefined) continue;
        for (const piece of pieces) watch.sides.set(piece.key, { before: false, said: saidBy(piece) });
        watch.follower = pieces[0]?.key;
      }
    },
    dropped,
    missingAtEnd: () =>
      watches
        .filter(({ missing, state, gone }) => (missing || state === "pending") && !gone)
        .map(({ marker }) => marker),
    texts: () =>
      watches.flatMap(({ state, gone, missing, text }) =>
        state === "answered" && !gone && !missing ? (text ?? []) : [],
      ),
    leads: () => watches.flatMap(({ lead }) => lead ?? []),
  };
}

/**
 * The pieces that stand on the other side of it now. Edited ones do not count, but for those directly beside it: where
 * one of the two is as it was, its place is known.
 */
function crossedBy({ sides: before, lead, follower }: Watch, now: ReadonlyMap<string, Side>): string[] {
  const isSame = (key: string | undefined) =>
    key !== undefined && now.get(key)?.said === before.get(key)?.said;
  const beside = isSame(lead) || isSame(follower) ? [lead, follower] : [];
  return [...before].flatMap(([key, side]) => {
    const counts = isSame(key) || beside.includes(key);
    return counts && now.has(key) && now.get(key)?.before !== side.before ? [key] : [];
  });
}

/**
 * Whether what stood among dropped messages may have gone with them: in a window nothing beside it is left, in a summary
 * not everything beside it, and where the client says so everything may. What nobody has answered stays due; whether what was
 * sent beside it alone was meant for it cannot be told once nothing of it is left.
 */
function mayLeave(watch: Watch, asked: readonly WrittenMessage[]): boolean {
  const { loosened, state, aside, kept, lead, follower } = watch;
  if (loosened === undefined || (state !== "answered" && !(aside && loosened !== "window"))) return false;
  if (kept || loosened === "said") return true;
  const keys = new Set(asked.flatMap(({ pieces }) => pieces.map(({ key }) => key)));
  const left = [lead, follower].filter((key) => key !== undefined && keys.has(key)).length;
  return loosened === "window" ? left === 0 : left < 2;
}

/** How often something was said: what the client's own words say of it does not count, what it has kept does. */
function counter({ sent, field, written }: Request): (marker: string) => number {
  const own = written.messages.filter(({ kept }) => !kept).map(({ message }) => message);
  const texts = [sent[field], own].map((value) => JSON.stringify(value));
  return (marker) => {
    const [all = 0, ours = 0] = texts.map((text) => text.split(marker).length);
    return all - ours;
  };
}

/** The words of an added block. */
function wordsOf(text: string): string {
  return (JSON.parse(text.slice(text.indexOf(" ") + 1)) as { text: string }).text;
}
