import fc from "fast-check";
import { createReadBody } from "sotto/internal";
import { expect, test } from "vitest";
import { pauseIfLong, splicedBytes } from "./request-body.ts";

test("the bytes of a spliced body are those of its text", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "中", "😀", '"', "\\", "\n", "}") });
  const message = fc.record({ role: fc.constantFrom("user", "assistant"), content: text });
  fc.assert(
    fc.property(
      text,
      fc.array(message, { minLength: 1 }),
      fc.array(fc.nat(20)),
      (model, messages, places) => {
        const client = JSON.stringify({ model, messages, end: model });
        const bytes = Buffer.from(new TextEncoder().encode(client).buffer);
        const { body, write, pieces } = createReadBody()("messages", bytes);
        const list = [...(body as { messages: object[] }).messages];
        for (const place of places)
          list.splice(Math.min(place, list.length), 0, { role: "user", content: "Née." });
        const changed = { ...(body as object), messages: list };
        const spliced = splicedBytes({ bytes, plain: bytes }, pieces(changed));
        expect(Buffer.concat(spliced).toString()).toBe(write(changed));
        // What is the client's is not copied.
        const own = spliced.filter((piece) => piece.buffer === bytes.buffer);
        expect(own.reduce((sum, piece) => sum + piece.length, 0)).toBe(bytes.length);
      },
    ),
  );
});

test("other work gets its turn before the work on a long body goes on, and only then", async () => {
  const order: string[] = [];
  const other = new Promise<void>((resolve) => {
    setImmediate(() => {
      order.push("other");
      resolve();
    });
  });
  await pauseIfLong(10_000);
  order.push("short");
  await pauseIfLong(20_000_000);
  order.push("long");
  await other;
  expect(order).toEqual(["short", "other", "long"]);
});
