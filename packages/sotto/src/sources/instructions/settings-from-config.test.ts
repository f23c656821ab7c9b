import { expect, it } from "vitest";
import { memorySettings, settingsFromConfig } from "./types.ts";

const places = { cwd: "/proj", home: "/home/dev", configDirectory: "/home/dev/.config/sotto" };

it("takes every key of the table", () => {
  const changes = settingsFromConfig({
    file_names: ["GEMINI.md"],
    rules_dirs: [".cursor/rules"],
    user_settings: false,
    project_settings: true,
    local_settings: false,
    import_depth: 3,
    managed_dir: "/etc/rules",
    user_dirs: ["~/rules"],
    allow_external_imports: true,
  });
  expect(memorySettings(places, changes)).toEqual({
    cwd: "/proj",
    home: "/home/dev",
    fileNames: ["GEMINI.md"],
    rulesDirs: [".cursor/rules"],
    userSettings: false,
    aboveProject: true,
    projectSettings: true,
    localSettings: false,
    importDepth: 3,
    managedDir: "/etc/rules",
    userDirs: ["/home/dev/rules"],
    userFiles: ["/home/dev/.claude/CLAUDE.md"],
    allowExternalImports: true,
  });
});

it("leaves the defaults where the table says nothing", () => {
  expect(settingsFromConfig({ file_names: undefined })).toEqual({});
  expect(memorySettings(places, settingsFromConfig({}))).toEqual(memorySettings(places));
});
