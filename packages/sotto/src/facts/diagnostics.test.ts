import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiagnosticsFact, diagnostics } from "./diagnostics.ts";
import type { Diagnostic } from "./event-parts.ts";
import { settleEdges } from "./pending.ts";

type Step = { file: string; messages: string[] } | "say";

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>("say"),
  fc.record({
    file: fc.constantFrom("a.ts", "b.ts"),
    messages: fc.array(fc.constantFrom("One.", "Two.", "Three."), { maxLength: 6 }),
  }),
);

/** The nth of a message in a file is a thing of its own: said when new, forgotten when gone. */
class Model {
  readonly standing = new Map<string, Set<string>>();
  readonly said = new Set<string>();

  publish(file: string, messages: readonly string[]): void {
    const now = new Set<string>();
    for (const message of messages) {
      let nth = 1;
      while (now.has(`${file} ${message} ${nth}`)) nth++;
      now.add(`${file} ${message} ${nth}`);
    }
    this.standing.set(file, now);
    for (const key of [...this.said]) if (key.startsWith(`${file} `) && !now.has(key)) this.said.delete(key);
  }

  due(): string[] {
    return [...this.standing.values()].flatMap((keys) => [...keys].filter((key) => !this.said.has(key)));
  }
}

it("pending is what stands there and was not said since it came, whatever is published in between", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const fact = diagnostics.initial();
      const model = new Model();
      for (const [seq, what] of steps.entries()) {
        if (what === "say") {
          for (const { id } of [...fact.pending])
            settleEdges(fact, new Set([id]), { branch: "main", turn: seq });
          for (const key of model.due()) model.said.add(key);
        } else {
          publish(fact, seq, what);
          model.publish(what.file, what.messages);
        }
        expect(messagesIn(fact)).toEqual(
          model
            .due()
            .map((key) => key.replace(/ \d+$/u, ""))
            .sort(),
        );
      }
    }),
  );
});

function publish(fact: DiagnosticsFact, seq: number, { file, messages }: Exclude<Step, "say">): void {
  const list = messages.map(
    (message, index): Diagnostic => ({ message, severity: "Error", line: index + 1 }),
  );
  diagnostics.apply(
    fact,
    { type: "diagnostics_published", origin: "lsp", filePath: file, diagnostics: list },
    { seq, at: "", turns: 0, supersede: () => undefined },
  );
}

interface Publication {
  messages: string[];
  more?: number;
  baseline?: boolean;
}

function record(
  fact: DiagnosticsFact,
  seq: number,
  { messages, ...rest }: Publication,
  superseded: string[] = [],
): void {
  const list = messages.map(
    (message, index): Diagnostic => ({ message, severity: "Error", line: index + 1 }),
  );
  diagnostics.apply(
    fact,
    { type: "diagnostics_published", origin: "lsp", filePath: "a.ts", diagnostics: list, ...rest },
    { seq, at: "", turns: 0, supersede: (_type, reason) => superseded.push(reason) },
  );
}

function messagesIn({ pending }: DiagnosticsFact): string[] {
  return pending
    .flatMap(({ filePath, what }) => ("key" in what ? `${filePath} ${what.diagnostic.message}` : []))
    .sort();
}

describe("what stood there before the agent came", () => {
  it("is not told, and stays known: only what joins it is news", () => {
    const fact = diagnostics.initial();
    const errors: string[] = [];
    record(fact, 1, { messages: ["One."], baseline: true }, errors);
    expect(messagesIn(fact)).toEqual([]);
    record(fact, 2, { messages: ["One.", "Two."] }, errors);
    expect(messagesIn(fact)).toEqual(["a.ts Two."]);
    record(fact, 3, { messages: ["One."] }, errors);
    expect({ due: messagesIn(fact), errors }).toEqual({
      due: [],
      errors: ["1 in a.ts was gone before it was said"],
    });
  });

  it("does not silence what is still to be told", () => {
    const fact = diagnostics.initial();
    record(fact, 1, { messages: ["One."] });
    record(fact, 2, { messages: ["One.", "Two."], baseline: true });
    expect(messagesIn(fact)).toEqual(["a.ts One."]);
  });
});

/** How many are to be told one by one, and how many as a number. */
const due = ({ pending }: DiagnosticsFact) => ({
  told: pending.filter(({ what }) => "key" in what).length,
  counted: pending.reduce((sum, { what }) => sum + ("unlisted" in what ? what.unlisted : 0), 0),
});

describe("more than are listed", () => {
  const settleAll = (fact: DiagnosticsFact) =>
    settleEdges(fact, new Set(fact.pending.map(({ id }) => id)), { branch: "main", turn: 1 });

  it("are counted with what is told, and only what joins them is counted later", () => {
    const fact = diagnostics.initial();
    record(fact, 1, { messages: ["One."], more: 9999 });
    expect(due(fact)).toEqual({ told: 1, counted: 9999 });
    settleAll(fact);
    record(fact, 2, { messages: ["One."], more: 9999 });
    expect(fact.pending).toEqual([]);
    record(fact, 3, { messages: ["One."], more: 10_009 });
    expect(due(fact)).toEqual({ told: 0, counted: 10 });
  });

  it("are told one by one when they move up into the list: as a number nobody knew them", () => {
    const fact = diagnostics.initial();
    record(fact, 1, { messages: ["One."], more: 2 });
    settleAll(fact);
    record(fact, 2, { messages: ["Two."], more: 1 });
    expect(messagesIn(fact)).toEqual(["a.ts Two."]);
    settleAll(fact);
    record(fact, 3, { messages: ["Two.", "Three."] });
    expect(messagesIn(fact)).toEqual(["a.ts Three."]);
  });

  it("and stood there before the agent came are not news when they move up", () => {
    const fact = diagnostics.initial();
    record(fact, 1, { messages: ["One.", "Two."], more: 2, baseline: true });
    record(fact, 2, { messages: ["Three.", "Four."] });
    expect(fact.pending).toEqual([]);
    record(fact, 3, { messages: ["Three.", "Four.", "Five."] });
    expect(messagesIn(fact)).toEqual(["a.ts Five."]);
  });

  it("and stood there before silence nothing that is new", () => {
    const fact = diagnostics.initial();
    record(fact, 1, { messages: ["One."], more: 50, baseline: true });
    record(fact, 2, { messages: ["One.", "New."], more: 50 });
    expect(messagesIn(fact)).toEqual(["a.ts New."]);
  });

  it("are gone with the rest of the file", () => {
    const fact = diagnostics.initial();
    record(fact, 1, { messages: ["One."], more: 5 });
    record(fact, 2, { messages: [] });
    expect({ pending: fact.pending, files: fact.files }).toEqual({ pending: [], files: {} });
  });
});
