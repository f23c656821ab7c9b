// Sessions share what their requests declare, and nothing of it differs from what was declared.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DeclaredTool } from "../dialects/dialect.ts";
import { sharedTool, sharedTools } from "./shared-tools.ts";

const tool: fc.Arbitrary<DeclaredTool> = fc.record(
  {
    name: fc.constantFrom("read", "write", "__proto__", ""),
    description: fc.constantFrom("", "Reads.", "Writes."),
    fields: fc.subarray(["path", "text"]),
  },
  { requiredKeys: ["name"] },
);

describe("tools that requests declare", () => {
  it("are as they were declared, and the same objects exactly while they are equal", () => {
    fc.assert(
      fc.property(fc.array(fc.array(tool, { maxLength: 4 }), { maxLength: 12 }), (lists) => {
        const shared = lists.map((list) => sharedTools(structuredClone(list)));
        for (const [index, list] of lists.entries()) {
          expect(shared[index]).toEqual(list);
          for (const [other, one] of lists.entries())
            expect(shared[index] === shared[other]).toBe(JSON.stringify(list) === JSON.stringify(one));
        }
      }),
    );
  });

  it("stay as they were if the host changes what it declared", () => {
    const declared = { name: "read", description: "Reads.", fields: ["path"] };
    const shared = sharedTool(declared);
    declared.fields.push("offset");
    declared.description = "Reads on.";
    expect(shared).toEqual({ name: "read", description: "Reads.", fields: ["path"] });
    expect(sharedTool(declared)).toEqual(declared);
  });
});
