import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts"],
  platform: "node",
  target: "node22",
  fixedExtension: false,
  dts: true,
  sourcemap: false,
});
