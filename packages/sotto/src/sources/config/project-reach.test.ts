import { describe, expect, it } from "vitest";
import { configKeys, memoryKeys } from "../../core/config-keys.ts";
import type { ConfigTable } from "../../core/config-layers.ts";
import { withinReach } from "./project-reach.ts";

const reach = (config: ConfigTable, user: ConfigTable = {}) =>
  withinReach(config, { path: "/repo/sotto.toml", cwd: "/repo/src", root: "/repo", user });
const ignored = (config: ConfigTable, user?: ConfigTable) =>
  reach(config, user).ignored.map(({ keys, why }) => `${keys.join(".")}: ${why}`);

const TRUST = "it needs `sotto trust`";

describe("AC-50 the config of a project that nobody has trusted", () => {
  it("switches types off, and its text stands apart", () => {
    expect(
      reach({
        enabled: false,
        critical_instruction: "Run the tests.",
        attachments: { plan_mode: false, changed_files: { enabled: false, max_diff_lines: 9 } },
      }),
    ).toEqual({
      config: {
        enabled: false,
        attachments: { plan_mode: false, changed_files: { enabled: false, max_diff_lines: 9 } },
      },
      instruction: { content: "Run the tests.", from: "/repo/sotto.toml" },
      ignored: [],
    });
  });

  it.each([
    [{ role: "native" }, ["role"]],
    [
      { claim_ttl_ms: 5000, max_budget_usd: 5, telemetry_sample: 1 },
      ["claim_ttl_ms", "max_budget_usd", "telemetry_sample"],
    ],
    [
      {
        memory: {
          file_names: ["X.md"],
          managed_dir: "/etc",
          user_dirs: ["/"],
          allow_external_imports: true,
          user_settings: false,
          local_settings: false,
        },
      },
      [
        "file_names",
        "managed_dir",
        "user_dirs",
        "allow_external_imports",
        "user_settings",
        "local_settings",
      ].map((key) => `memory.${key}`),
    ],
  ])("%j: what speaks with authority waits", (config, keys) => {
    expect(ignored(config)).toEqual(keys.map((key) => `${key}: ${TRUST}`));
  });

  it("names no place outside the project", () => {
    for (const path of ["/etc", "../..", "~/plans", "/repository", "a/../../../x"])
      for (const key of ["plan_dir", "task_dir", "todo_file"])
        expect(ignored({ [key]: path }), `${key} ${path}`).toEqual([
          `${key}: a path outside the project needs \`sotto trust\``,
        ]);
    for (const path of ["plans", "..", "/repo/plans", "", "./a/../b", "..plans"])
      expect(ignored({ plan_dir: path }), path).toEqual([]);
  });

  it("does not switch on what the user has switched off", () => {
    const off = "the user's config has switched it off";
    expect(ignored({ enabled: true }, { enabled: false })).toEqual([`enabled: ${off}`]);
    expect(ignored({ enable_token_usage: true }, { enable_token_usage: false })).toEqual([
      `enable_token_usage: ${off}`,
    ]);
    for (const user of [false, { enabled: false }]) {
      expect(ignored({ attachments: { token_usage: true } }, { attachments: { token_usage: user } })).toEqual(
        [`attachments.token_usage: ${off}`],
      );
      expect(
        ignored({ attachments: { token_usage: { enabled: true } } }, { attachments: { token_usage: user } }),
      ).toEqual([`attachments.token_usage.enabled: ${off}`]);
    }
    expect(ignored({ enabled: true, attachments: { token_usage: true } }, { enabled: true })).toEqual([]);
  });

  it("a key nobody has decided about is not let through", () => {
    expect(ignored({ hooks: [] })).toEqual([`hooks: ${TRUST}`]);
    expect(ignored({ memory: { else: 1 } })).toEqual([`memory.else: ${TRUST}`]);
  });

  it("what runs or speaks with authority is decided, key by key", () => {
    const needs = (keys: object) =>
      Object.entries(keys).flatMap(([key, { project }]) => (project === "trusted" ? [key] : []));
    expect({ config: needs(configKeys), memory: needs(memoryKeys) }).toEqual({
      config: ["role", "claim_ttl_ms", "max_budget_usd", "telemetry_sample", "language_servers", "tags"],
      memory: [
        "file_names",
        "rules_dirs",
        "user_settings",
        "local_settings",
        "managed_dir",
        "user_dirs",
        "allow_external_imports",
      ],
    });
  });
});
