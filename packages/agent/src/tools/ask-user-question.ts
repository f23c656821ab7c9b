// AskUserQuestion: asks the user to decide.

import { z } from "zod";
import { defineTool, untilAborted } from "./tool.ts";

const input = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        question: z.string().min(1),
        header: z.string().optional().describe("A word or two above the question"),
        options: z
          .array(z.strictObject({ label: z.string().min(1), description: z.string().optional() }))
          .min(2)
          .max(6)
          .describe("The user can always answer in other words"),
        multiSelect: z.boolean().optional().describe("More than one may be chosen"),
      }),
    )
    .min(1)
    .max(4),
});
type Input = z.infer<typeof input>;

export const askUserQuestion = defineTool<Input>({
  name: "AskUserQuestion",
  description:
    "Asks the user to decide something only they can decide, with a few options to choose from. Not for what you can find out yourself, and not for the approval of a plan.",
  input,
  kind: "read",
  title: ({ questions }) => `AskUserQuestion ${questions.map(({ question }) => question).join(" / ")}`,
  async run({ questions }, { asker, signal }) {
    const answers: string[] = [];
    for (const { question, options, multiSelect } of questions) {
      const asked = asker.choose(multiSelect ? `${question} (choose one or more)` : question, options);
      const answer = await untilAborted(asked, signal);
      answers.push(`${question}\n→ ${answer.trim() === "" ? "(no answer)" : answer}`);
    }
    return { text: `The user answered:\n${answers.join("\n")}`, summary: answers.join(" ") };
  },
});
