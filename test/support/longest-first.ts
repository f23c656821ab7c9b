// Starts the longest test files first: begun last, one of them would run on alone with the other core idle.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes half a minute or more. Vitest goes by its last run, and by size where it has none, as after a clone. */
const longest = [
  "test/faults/faults.test.ts",
  "packages/sotto/src/render/neutralise/neutralise.test.ts",
  "test/engine/prefix-windows.test.ts",
  "test/faults/processes.test.ts",
  "test/faults/mail.test.ts",
  "test/end-to-end/cli-demo.test.ts",
  "test/arrows.test.ts",
  "test/engine/prefix.test.ts",
  "test/end-to-end/language-servers.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const first = longest.flatMap((name) => others.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)));
    return [...first, ...others.filter((file) => !first.includes(file))];
  }
}
