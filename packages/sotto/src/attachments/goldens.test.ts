import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { asRead } from "../../../../test/support/reading.ts";
import { catalogue } from "./catalogue.ts";
import { silentTypes } from "./silent.ts";

const root = fileURLToPath(new URL(".", import.meta.url));
const tests = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".test.ts"),
);

it.each(catalogue.map((one) => [one.type, one] as const))(
  "AC-2 %s has its text, in every variant, written down in the test beside it",
  (type, one) => {
    const name = silentTypes.includes(one) ? "silent" : type.replaceAll("_", "-");
    const test = tests.find((file) => basename(file) === `${name}.test.ts`);
    expect(test, `${type} has a test`).toBeDefined();
    const written = flush(
      readFileSync(join(root, test ?? ""), "utf8")
        .replaceAll("\\`", "`")
        .replaceAll("\\\\", "\\"),
    );
    expect(written).toContain("AC-2");
    for (const { title, data } of one.examples) {
      const text = asRead(one, data);
      if (text === "") expect(written).toMatch(/toEqual\(\s*\[\s*""|toMatchInlineSnapshot/u);
      else expect(written, title).toContain(flush(text));
    }
  },
);

/** Without indents, which inline goldens have and texts may have. */
function flush(text: string): string {
  return text.replace(/^[ \t]+/gmu, "");
}
