// Starts the longest test files first: begun last, one of them would run on alone with the other core idle.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * What takes longest. Vitest goes by its last run, and by size where it has none, as after a clone. While the first one
 * builds the programs, the next two need none of them.
 */
const longest = [
  "test/end-to-end/cli-run.test.ts",
  "packages/sotto/src/sources/mentions/image.test.ts",
  "packages/agent/src/tools/grep.test.ts",
  "test/end-to-end/provenance-side-by-side.test.ts",
  "test/end-to-end/cli-gateway-operations.test.ts",
  "test/end-to-end/cli-demo.test.ts",
  "test/end-to-end/hook-failures.test.ts",
  "test/end-to-end/team.test.ts",
  "packages/agent/src/conversation/cut-off.test.ts",
  "test/end-to-end/cli-postgres.test.ts",
  "test/end-to-end/language-servers.test.ts",
  "test/end-to-end/cli-gateway.test.ts",
  "test/faults/processes.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const first = longest.flatMap((name) => others.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)));
    return [...first, ...others.filter((file) => !first.includes(file))];
  }
}
