import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { editedTextFile } from "./edited-text-file.ts";

describe("edited_text_file, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(editedTextFile)).toMatchInlineSnapshot(`
      "# an edit
      <system-reminder>
      Note: /repo/src/a.ts was modified outside this conversation. Build on it as it is now, and do not undo it unless you are asked to. What changed:
        41   const limit = 10;
        42 - const name = 'old';
        42 + const name = 'new';
        43   export { limit };
      </system-reminder>

      # by a command of the agent
      <system-reminder>
      Note: /repo/src/schema.ts was modified by your command \`npm run codegen\`. Go on from it as it is now. What changed:
         1 - // version 1
         1 + // version 2
      </system-reminder>

      # perhaps by a command of the agent
      <system-reminder>
      Note: /repo/src/schema.ts was modified, possibly by your command \`npm run codegen\`. Go on from it as it is now; do not undo what is not yours. What changed:
         1 - // version 1
         1 + // version 2
      </system-reminder>

      # one of very many
      <system-reminder>
      Note: /repo/src/i.ts was modified outside this conversation; so were 40 others. Build on them as they are now, and do not undo them unless you are asked to. Use Read to see those you need. The others:
      /repo/src/j.ts
      /repo/src/k.ts
      … and 38 more, named in later turns
      </system-reminder>"
    `);
  });
});

describe("the reason why nothing is said", () => {
  const why = (tracked: number, unknown: { path: string; why: string }[] = []) => {
    const facts = { files: { pending: [] }, fileChanges: { known: true, value: { tracked, unknown } } };
    return editedTextFile.trigger(facts as never, {} as never, {});
  };
  const writing = { path: "/repo/a.ts", why: "a call of the agent is writing it" };

  it.each([
    [0, [], "no file was read in full yet"],
    [2, [], "the content of none of the files read (2) has changed"],
    [1, [writing], "1 cannot be checked now: /repo/a.ts: a call of the agent is writing it"],
    [
      3,
      [writing],
      "1 cannot be checked now: /repo/a.ts: a call of the agent is writing it; the content of none of the others (2) has changed",
    ],
  ])("of %i files, with %j in doubt", (tracked, unknown, reason) => {
    expect(why(tracked, unknown)).toEqual({ skip: reason });
  });
});
