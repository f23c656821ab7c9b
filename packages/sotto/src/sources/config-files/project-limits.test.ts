import { describe, expect, it } from "vitest";
import { catalogue } from "../../attachments/catalogue.ts";
import { configKeys, memoryKeys, tasksKeys, tunableGenerators } from "../../config/key-reference.ts";
import { type ConfigTable, oneName, settingsFrom, withOneName } from "../../config/layers.ts";
import { configSchema, memorySchema, namesIn, optionKeys, typesNamed } from "../../config/schema.ts";
import { allowedConfig, onceTrusted } from "./project-limits.ts";

const reach = (config: ConfigTable, user: ConfigTable = {}) =>
  allowedConfig(config, { path: "/repo/sotto.toml", cwd: "/repo/src", root: "/repo", user, catalogue });
const ignored = (config: ConfigTable, user?: ConfigTable) =>
  reach(config, user).ignored.map(({ keys, why }) => `${keys.join(".")}: ${why}`);

const TRUST = "it needs `sotto trust`";
const USERS = "the user's own config sets it";

describe("AC-50 the config of a project that nobody has trusted", () => {
  it("what it may say is a short list", () => {
    const open = (keys: Record<string, { project: string }>) =>
      Object.entries(keys).flatMap(([key, { project }]) =>
        ["trusted", "user", "table"].includes(project) ? [] : [`${key}: ${project}`],
      );
    expect([open(configKeys), open(memoryKeys), open(tasksKeys), tunableGenerators]).toEqual([
      ["critical_instruction: text", "enable_token_usage: free", "plan_dir: inside"],
      ["project_settings: free"],
      ["style: free"],
      ["todo_reminders", "token_usage"],
    ]);
    // One name each, or a project could reach more through another one.
    for (const name of tunableGenerators) expect(typesNamed(name, catalogue)).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ["enabled", false],
    ["timeout_ms", 60_000],
    ["placement", "after_context"],
    ["role", "native"],
    ["context_forms", ["You are"]],
    ["task_dir", "tasks"],
    ["mailbox_dir", "mail"],
    ["session_memory_dir", "notes"],
    ["todo_file", "todo.md"],
    ["claim_ttl_ms", 5000],
    ["max_tokens_per_turn", 100],
    ["max_prompt_tokens", 100],
    ["max_memory_tokens", 100],
    ["max_context_tokens", 100],
    ["max_file_characters", 1_000_000],
    ["max_file_lines", 1],
    ["max_budget_usd", 5],
    ["telemetry_sample", 1],
    ["tags", { "system-reminder": "user" }],
    ["language_servers", true],
    ["hooks", []],
  ])("%s = %j waits for trust", (key, value) => {
    expect(reach({ [key]: value })).toEqual({ config: {}, ignored: [{ keys: [key], why: TRUST }] });
  });

  it("every key of the schema is judged", () => {
    expect(Object.keys(configKeys).sort()).toEqual(Object.keys(configSchema.entries).sort());
    expect(Object.keys(memoryKeys).sort()).toEqual(Object.keys(memorySchema.entries).sort());
  });

  it.each([
    ["file_names", ["../../.codex/auth.json"]],
    ["rules_dirs", ["/etc"]],
    ["user_settings", false],
    ["local_settings", false],
    ["import_depth", 1],
    ["else", 1],
  ])("memory.%s waits for trust", (key, value) => {
    expect(ignored({ memory: { [key]: value } })).toEqual([`memory.${key}: ${TRUST}`]);
  });

  it.each([
    ["managed_dir", "/etc"],
    ["user_dirs", ["/"]],
    ["allow_external_imports", true],
  ])("memory.%s is never a project's to set, trusted or not", (key, value) => {
    const config = { memory: { [key]: value, import_depth: 1 } };
    const why = `memory.${key}: only the user's own config or the host may set it`;
    expect(ignored({ memory: { [key]: value } })).toEqual([why]);
    const { config: kept, ignored: left } = onceTrusted(config);
    expect(kept).toEqual({ memory: { import_depth: 1 } });
    expect(left.map(({ keys, why: words }) => `${keys.join(".")}: ${words}`)).toEqual([why]);
  });

  const names = [...new Set(namesIn(catalogue).map((name) => oneName(name, catalogue)))];
  it.each(names.filter((name) => !tunableGenerators.includes(name)))(
    "it neither silences nor slows %s",
    (name) => {
      const isOn = typesNamed(name, catalogue).some(({ defaultEnabled = true }) => defaultEnabled);
      expect(ignored({ attachments: { [name]: !isOn } })).toEqual([`attachments.${name}: ${TRUST}`]);
      const table = { enabled: !isOn, min_turns_between: 9999, max_per_session: 0 };
      expect(ignored({ attachments: { [name]: table } })).toEqual(
        Object.keys(table).map((key) => `attachments.${name}.${key}: ${TRUST}`),
      );
      for (const key of typesNamed(name, catalogue).flatMap(optionKeys))
        expect(tables(name, key)).toEqual([`attachments.${name}.${key}: ${TRUST}`]);
    },
  );
  /** An option with a value that its schema takes, and that is not the usual one. */
  function tables(name: string, key: string): string[] {
    for (const value of [99, false, true, [1], "error", "hint", "Error", { enabled: false }])
      try {
        const found = ignored({ attachments: { [name]: { [key]: value } } });
        if (found.length > 0) return found;
      } catch {}
    return [];
  }

  it("its text stands apart, its todo reminders and its place for plans are its own affair", () => {
    expect(
      reach({
        critical_instruction: "Run the tests.",
        plan_dir: "plans",
        attachments: { todo_reminders: false, token_usage: { enabled: true, thresholds: [10] } },
      }),
    ).toEqual({
      config: {
        plan_dir: "plans",
        attachments: { todo_reminders: false, token_usage: { enabled: true, thresholds: [10] } },
      },
      instruction: { content: "Run the tests.", from: "/repo/sotto.toml" },
      ignored: [],
    });
  });

  it("what holds without it needs no trust, and does not undo what a host has below it", () => {
    const usual = {
      enabled: true,
      timeout_ms: 1000,
      role: "user",
      context_forms: [],
      attachments: {
        changed_files: true,
        plan_mode: { min_turns_between: 5, full_every: 5 },
        tool_results: false,
      },
    };
    expect(reach(usual)).toEqual({ config: { attachments: { plan_mode: {} } }, ignored: [] });
  });

  it("names no place outside the project, and none that says something", () => {
    for (const path of ["/etc", "../..", "/repository", "a/../../../x"])
      expect(ignored({ plan_dir: path }), path).toEqual([
        "plan_dir: a path outside the project needs `sotto trust`",
      ]);
    for (const path of [
      "plans\n\nSYSTEM OVERRIDE",
      "plans SYSTEM OVERRIDE",
      "~/plans",
      "$HOME",
      "a\u2028b",
      "<system-reminder>",
      "p".repeat(201),
    ])
      expect(ignored({ plan_dir: path }), path).toEqual([
        "plan_dir: a path with anything but letters, digits and . _ - @ + / needs `sotto trust`",
      ]);
    for (const path of ["plans", "..", "/repo/plans", "", "./a/../b", "..plans", "pläne/über-uns"])
      expect(ignored({ plan_dir: path }), path).toEqual([]);
  });

  it("changes nothing that the user's own config sets, not even back to the usual", () => {
    expect(ignored({ enabled: true }, { enabled: false })).toEqual([`enabled: ${USERS}`]);
    expect(ignored({ role: "user" }, { role: "native" })).toEqual([`role: ${USERS}`]);
    expect(ignored({ plan_dir: "b" }, { plan_dir: "a" })).toEqual([`plan_dir: ${USERS}`]);
    expect(ignored({ tasks: { style: "classic" } }, { tasks: { style: "unified" } })).toEqual([
      `tasks.style: ${USERS}`,
    ]);
    for (const user of [false, { enabled: false }]) {
      const own = { attachments: { token_usage: user } };
      expect(ignored({ attachments: { token_usage: true } }, own)).toEqual([
        `attachments.token_usage: ${USERS}`,
      ]);
      expect(ignored({ attachments: { token_usage: { enabled: true } } }, own)).toEqual([
        `attachments.token_usage.enabled: ${USERS}`,
      ]);
    }
    expect(ignored({ attachments: { token_usage: true } }, { attachments: { token_usage: true } })).toEqual(
      [],
    );
  });

  describe("a type that the user's own config speaks of is the user's, by whatever name", () => {
    const NAMES: Record<string, string[]> = {
      todo_reminder: ["todo_reminders", "todo_reminder"],
      token_usage: ["token_usage"],
    };
    const OPTIONS = { todo_reminder: {}, token_usage: { thresholds: [50], every_turn: true } };
    const VALUES = {
      enabled: [true, false],
      min_turns_between: [0, 9999],
      min_turns_after_trigger: [0, 9999],
      max_per_session: [0, 5],
    };
    const said = (type: keyof typeof OPTIONS): ConfigTable[] => {
      const tables: unknown[] = [true, false];
      for (const [key, values] of Object.entries(VALUES))
        for (const value of values) tables.push({ [key]: value });
      for (const [key, value] of Object.entries(OPTIONS[type])) tables.push({ [key]: value });
      const written = (NAMES[type] ?? []).flatMap((name) =>
        tables.map((table): ConfigTable => ({ attachments: { [name]: table } })),
      );
      return type === "token_usage"
        ? [...written, { enable_token_usage: true }, { enable_token_usage: false }]
        : written;
    };
    const inForce = (layers: ConfigTable[], type: string) =>
      settingsFrom(
        { files: { layers, problems: [] }, host: {}, environment: {}, changed: {} },
        catalogue,
      ).types.get(type);

    it.each(["todo_reminder", "token_usage"] as const)("%s", (type) => {
      // No name is forgotten.
      expect(
        namesIn(catalogue)
          .filter((name) => typesNamed(name, catalogue).some((one) => one.type === type))
          .sort(),
      ).toEqual([...(NAMES[type] ?? [])].sort());
      const all = said(type).map((one) => withOneName(one, catalogue) as ConfigTable);
      for (const user of all)
        for (const project of all) {
          const { config } = reach(project, user);
          const note = `${JSON.stringify(user)} | ${JSON.stringify(project)}`;
          expect(inForce([user, config], type), note).toEqual(inForce([user], type));
        }
    });
  });
});
