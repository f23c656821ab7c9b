import fc from "fast-check";
import { expect, it } from "vitest";
import { settleEdges } from "../edge.ts";
import type { Diagnostic } from "../events.ts";
import { type DiagnosticsFact, diagnostics } from "./diagnostics.ts";

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

function messagesIn({ pending }: DiagnosticsFact): string[] {
  return pending
    .flatMap(({ filePath, diagnostics: list }) => list.map(({ message }) => `${filePath} ${message}`))
    .sort();
}
