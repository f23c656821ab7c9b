import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { reminderTexts } from "../engine/read-request.ts";
import { dropDelivery, listed, putDelivery } from "./branches.ts";
import { type Delivery, initialState } from "./state.ts";

test("the list of deliveries and their texts are those of the table, however it changes", () => {
  const deed = fc.record({
    do: fc.constantFrom("put", "put", "put", "drop", "look"),
    key: fc.nat(12),
    text: fc.nat(3),
    earlier: fc.array(fc.nat(3), { maxLength: 2 }),
  });
  const property = fc.property(fc.array(deed, { maxLength: 40 }), (deeds) => {
    const state = initialState();
    const { deliveries } = state;
    for (const { do: what, key, text, earlier } of deeds) {
      const blocks = [{ type: "text" as const, text: `Text ${text}` }];
      const made = { blocks, earlier: earlier.map((one) => `Text ${one}`) } as unknown as Delivery;
      if (what === "put") putDelivery(deliveries, `${key}@main`, made);
      if (what === "drop") dropDelivery(deliveries, `${key}@main`);
      if (what !== "look") continue;
      expect(listed(deliveries)).toEqual(Object.entries(deliveries));
      const anew = { ...state, deliveries: { ...deliveries } };
      expect(reminderTexts(state, [])).toEqual(reminderTexts(anew, []));
    }
  });
  fc.assert(property, runs(500));
});
