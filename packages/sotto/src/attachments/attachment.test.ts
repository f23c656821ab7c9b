import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { openSession } from "../../../../test/support/telling.ts";
import { type Attachment, checkData, type StandardSchema } from "./attachment.ts";
import { defineCheckedAttachment as defineAttachment } from "./define-attachment.ts";

const common = { type: "weather", summary: "The weather.", tier: "core", when: "always", needs: [] } as const;

const withZod = (celsius: unknown = 3): Attachment =>
  defineAttachment({
    ...common,
    schema: z.object({ celsius: z.number() }),
    trigger: () => [{ data: { celsius: celsius as number } }],
    render(data) {
      expectTypeOf(data).toEqualTypeOf<{ celsius: number }>();
      return `It is ${data.celsius} °C.`;
    },
    examples: [{ title: "cold", data: { celsius: 3 } }],
  });

const withValibot = defineAttachment({
  ...common,
  schema: v.object({ celsius: v.number() }),
  trigger: () => [{ data: { celsius: 3 } }],
  render(data) {
    expectTypeOf(data).toEqualTypeOf<{ celsius: number }>();
    return `It is ${data.celsius} °C.`;
  },
  examples: [{ title: "cold", data: { celsius: 3 } }],
});

describe("a schema from any Standard Schema library", () => {
  it.each([
    ["zod", withZod()],
    ["valibot", withValibot],
  ])("%s: its data is checked and sent", async (_, attachment) => {
    const turn = await openSession({ attachments: [attachment] }).turn();
    const weather = turn.reminders.filter(({ type }) => type === "weather");
    expect(weather.map(({ text }) => text)).toEqual(["<system-reminder>\nIt is 3 °C.\n</system-reminder>"]);
  });

  it("data that does not fit costs only its own type, with the field in the trace", async () => {
    const turn = await openSession({ attachments: [withZod("cold")] }).turn();
    expect(turn.trace.find(({ type }) => type === "weather")).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("its data does not fit its schema: data.celsius: "),
    });
  });

  it("an example that does not fit is an error at definition", () => {
    const schema = z.object({ celsius: z.string() }) as unknown as StandardSchema<{ celsius: number }>;
    const define = () =>
      defineAttachment({
        ...common,
        schema,
        trigger: () => [],
        render: () => "",
        examples: [{ title: "cold", data: { celsius: 3 } }],
      });
    expect(define).toThrow(
      /attachment "weather": example "cold": it does not fit its schema: data\.celsius: /u,
    );
  });

  it.each([
    ["zod", z.object({}).refine(async () => true)],
    [
      "valibot",
      v.pipeAsync(
        v.object({}),
        v.checkAsync(async () => true),
      ),
    ],
  ])("%s: an asynchronous one is an error", (_, schema) => {
    expect(() => checkData(schema as StandardSchema, {})).toThrow(/asynchronous/u);
  });

  it("something that is no schema is an error at definition", () => {
    const define = () => defineAttachment({ ...withValibot, schema: {} as StandardSchema });
    expect(define).toThrow('attachment "weather": schema: expected a Standard Schema');
  });
});
