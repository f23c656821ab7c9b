// What takes long because it strains something on purpose, builds and compiles the whole package, or starts test runs or
// language servers again and again: `npm run test:long` has it, and so has .ci/run; `npm test` has not.

export const slowFiles: readonly string[] = [
  "packages/sotto/src/render/neutralise/neutralise-work.test.ts",
  "packages/sotto/src/sources/lsp/hostile.test.ts",
  "packages/sotto/src/sources/lsp/real-servers.test.ts",
  "test/arrows.test.ts",
  "test/doors/editors.test.ts",
  "test/end-to-end/docs-example.test.ts",
  "test/end-to-end/packed-types.test.ts",
  "test/engine/changed-files-scale.test.ts",
  "test/engine/hostile-requests.test.ts",
  "test/engine/poison-events.test.ts",
  "test/engine/slow-texts.test.ts",
  "test/faults/postgres.test.ts",
  "test/support/witness.test.ts",
];
