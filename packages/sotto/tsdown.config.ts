import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts"],
  platform: "node",
  target: "node22",
  fixedExtension: false,
  // Only what is used of the schema library comes along: most of an import's time is compiling what is not.
  deps: { alwaysBundle: [/^valibot/] },
  dts: true,
});
