import { createMemoryStore, createSession, SottoError } from "sotto";
import type { Source } from "sotto/extend";
import { describe, expect, it } from "vitest";
import { answered, openSession, outcomeOf, says } from "../../../../test/support/telling.ts";
import { catalogue } from "../attachments/catalogue.ts";
import { mergeConfig, resolveSettings } from "./schema.ts";

const problem = (config: unknown): string => {
  try {
    resolveSettings(config, catalogue);
  } catch (error) {
    expect(error).toBeInstanceOf(SottoError);
    expect((error as SottoError).code).toBe("invalid_config");
    return (error as SottoError).message;
  }
  return "fine";
};
const enabledTypes = (attachments: Record<string, unknown>, rest: object = {}) =>
  [...resolveSettings({ ...rest, attachments }, catalogue).types]
    .filter(([, { enabled }]) => enabled)
    .map(([type]) => type);
const onByDefault = catalogue.filter(({ defaultEnabled = true }) => defaultEnabled).map(({ type }) => type);

describe("a wrong config", () => {
  it.each([
    [{ enable: true }, 'config: "enable" is not known; did you mean "enabled"?'],
    [{ tasks: { styl: "classic" } }, 'config.tasks: "styl" is not known; did you mean "style"?'],
    [{ max_budget_usd: 0 }, "config.max_budget_usd: expected >=0.01, got 0"],
    [{ timeout: 5 }, 'config: "timeout" is not known; did you mean "timeout_ms"?'],
    [
      { critical_instructions: "x" },
      'config: "critical_instructions" is not known; did you mean "critical_instruction"?',
    ],
    [{ "": 1 }, 'config: "" is not known'],
    [{ completely_else: 1 }, 'config: "completely_else" is not known'],
    [[], "config: expected a table"],
    ["on", "config: expected a table"],
    [7, "config: expected a table"],
    [{ enabled: "yes" }, 'config.enabled: expected boolean, got "yes"'],
    [{ critical_instruction: 3 }, "config.critical_instruction: expected string, got 3"],
    [
      { critical_instruction: "x".repeat(20_001) },
      "config.critical_instruction: expected <=20000, got 20001",
    ],
    [{ timeout_ms: 0 }, "config.timeout_ms: expected >=10, got 0"],
    [{ timeout_ms: 99.5 }, "config.timeout_ms: expected integer, got 99.5"],
    [{ timeout_ms: Number.NaN }, "config.timeout_ms: expected number, got NaN"],
    [{ timeout_ms: 60_001 }, "config.timeout_ms: expected <=60000, got 60001"],
    [{ placement: "front" }, 'config.placement: expected ("append" | "after_context"), got "front"'],
    [{ role: "developer" }, 'config.role: expected ("user" | "native"), got "developer"'],
    [{ max_tokens_per_turn: 10 }, "config.max_tokens_per_turn: expected >=100, got 10"],
    [{ context_forms: ["ab"] }, "config.context_forms.0: expected >=3, got 2"],
    [{ plan_dir: null }, "config.plan_dir: expected string, got null"],
    [{ memory: [] }, "config.memory: expected a table"],
    [{ memory: true }, "config.memory: expected a table"],
    [{ memory: null }, "config.memory: expected a table"],
    [{ memory: { file_name: ["x"] } }, 'config.memory: "file_name" is not known; did you mean "file_names"?'],
    [
      { memory: { user_setings: false } },
      'config.memory: "user_setings" is not known; did you mean "user_settings"?',
    ],
    [{ memory: { file_names: "AGENTS.md" } }, 'config.memory.file_names: expected Array, got "AGENTS.md"'],
    [{ memory: { rules_dirs: [""] } }, "config.memory.rules_dirs.0: expected >=1, got 0"],
    [{ memory: { local_settings: "no" } }, 'config.memory.local_settings: expected boolean, got "no"'],
    [{ memory: { managed_dir: 7 } }, "config.memory.managed_dir: expected string, got 7"],
    [{ attachments: true }, "config.attachments: expected Object, got true"],
    [{ attachments: [] }, "config.attachments: expected a table"],
    [
      { attachments: { todo_remind: false } },
      'config.attachments: "todo_remind" is not known; did you mean "todo_reminder"?',
    ],
    [
      { attachments: { memory_of_an_elephant: false } },
      'config.attachments: "memory_of_an_elephant" is not known',
    ],
    [
      { attachments: { todo_reminderz: false } },
      'config.attachments: "todo_reminderz" is not known; did you mean "todo_reminder"?',
    ],
    [
      { attachments: { plan_mod: false } },
      'config.attachments: "plan_mod" is not known; did you mean "plan_mode"?',
    ],
    [
      { attachments: { todo_reminder: "off" } },
      "config.attachments.todo_reminder: expected true, false or a table",
    ],
    [
      { attachments: { todo_reminder: null } },
      "config.attachments.todo_reminder: expected true, false or a table",
    ],
    [
      { attachments: { todo_reminder: [] } },
      "config.attachments.todo_reminder: expected true, false or a table",
    ],
    [
      { attachments: { todo_reminder: { min_turns: 2 } } },
      'config.attachments.todo_reminder: "min_turns" is not known; did you mean "min_turns_between"?',
    ],
    [
      { attachments: { todo_reminder: { min_turn_between: 2 } } },
      'config.attachments.todo_reminder: "min_turn_between" is not known; did you mean "min_turns_between"?',
    ],
    [
      { attachments: { todo_reminder: { full_every: 2 } } },
      'config.attachments.todo_reminder: "full_every" is not known',
    ],
    [
      { attachments: { plan_mode: { full_evry: 2 } } },
      'config.attachments.plan_mode: "full_evry" is not known; did you mean "full_every"?',
    ],
    [
      { attachments: { plan_mode: { full_every: 0 } } },
      "config.attachments.plan_mode.full_every: expected >=1, got 0",
    ],
    [
      { attachments: { plan_mode: { max_plan_agents: "2" } } },
      'config.attachments.plan_mode.max_plan_agents: expected number, got "2"',
    ],
    [
      { attachments: { token_usage: { thresholds: [50, 101] } } },
      "config.attachments.token_usage.thresholds.1: expected <=100, got 101",
    ],
    [
      { attachments: { critical_instruction: { every_turns: 0 } } },
      "config.attachments.critical_instruction.every_turns: expected >=1, got 0",
    ],
    [
      { attachments: { background_task: { max_per_session: -1 } } },
      "config.attachments.background_task.max_per_session: expected >=0, got -1",
    ],
    [
      { attachments: { unified_tasks: { enabled: 1 } } },
      "config.attachments.unified_tasks.enabled: expected boolean, got 1",
    ],
  ])("%j: %s", (config, message) => {
    expect(problem(config)).toBe(message);
  });

  it("throws from createSession, at once", () => {
    const create = () =>
      createSession({ cwd: "/", agent: { kind: "main" }, config: { enable: true } as never });
    expect(create).toThrow(
      new SottoError("invalid_config", 'config: "enable" is not known; did you mean "enabled"?'),
    );
  });
});

describe("a right config", () => {
  it("has defaults for everything", () => {
    const { types, ...settings } = resolveSettings(undefined, catalogue);
    expect(settings).toEqual({
      language_servers: { enabled: false, wait_ms: 200, servers: {} },
      preset: "coding",
      enabled: true,
      timeout_ms: 1000,
      enable_token_usage: false,
      placement: "append",
      role: "user",
      context_forms: [],
      plan_dir: ".claude/plans",
      session_memory_dir: ".claude/session-memory",
      task_dir: "~/.claude/tasks",
      mailbox_dir: ".sotto/mail",
      mailbox_file_dir: ".claude/mailbox",
      todo_file: ".claude/todos/{session}.json",
      claim_ttl_ms: 120_000,
      max_tokens_per_turn: 4000,
      max_prompt_tokens: 20_000,
      max_memory_tokens: 10_000,
      max_context_tokens: 25_000,
      max_file_characters: 40_000,
      max_file_lines: 3000,
      telemetry_sample: 0.05,
      tasks: { style: "unified" },
      tags: {},
      memory: {},
    });
    expect(types.get("plan_mode")).toEqual({
      enabled: true,
      options: { full_every: 5, max_explore_agents: 3, max_plan_agents: 1 },
    });
    expect(types.get("token_usage")).toEqual({
      enabled: false,
      options: { every_turn: false, thresholds: [50, 75, 90, 95] },
    });
  });

  it("takes a memory table as it stands", () => {
    const memory = {
      file_names: ["AGENTS.md", "GEMINI.md"],
      rules_dirs: [".cursor/rules"],
      user_settings: false,
      project_settings: true,
      local_settings: false,
      import_depth: 3,
      managed_dir: "/etc/sotto/rules",
      user_dirs: ["~/rules"],
      allow_external_imports: true,
    };
    expect(resolveSettings({ memory }, catalogue).memory).toEqual(memory);
  });

  it("AC-16 takes every type, every generator and every alias, as a switch or as a table", () => {
    const names = catalogue.flatMap(({ type, generator, aliases = [] }) => [type, generator, ...aliases]);
    for (const name of names)
      for (const off of [false, { enabled: false }]) {
        const types = enabledTypes({ token_usage: true, tool_result: true, [name]: off });
        expect(types.length, name).toBeLessThan(catalogue.length);
        expect(enabledTypes({ [name]: true }), name).toEqual(expect.arrayContaining(onByDefault));
      }
  });

  const TASKS = [
    ..."task_status task_progress background_shell_status async_agent_status".split(" "),
    "background_remote_session_status",
  ];

  it.each([
    ["critical_instruction", "critical_system_reminder"],
    ["background_task", ...TASKS],
    ["todo_reminder", "todo_reminder"],
    ["todo_reminders", "todo_reminder"],
    ["unified_tasks", ...TASKS],
    ["queued_commands", "queued_command"],
    ["ide_selection", "selected_lines_in_ide"],
    ["ide_opened_file", "opened_file_in_ide"],
  ])("AC-16 %s switches %s", (name, ...types) => {
    expect(enabledTypes({ [name]: false })).toEqual(onByDefault.filter((one) => !types.includes(one)));
  });

  it("AC-16 a name that is a generator and a type switches the generator; its single types have the last word", () => {
    expect(enabledTypes({ plan_mode: false })).toEqual(
      onByDefault.filter((type) => type !== "plan_mode" && type !== "plan_mode_reentry"),
    );
    for (const attachments of [
      { plan_mode: false, plan_mode_reentry: true },
      { plan_mode_reentry: true, plan_mode: false },
    ])
      expect(enabledTypes(attachments)).toEqual(onByDefault.filter((type) => type !== "plan_mode"));
  });

  it("is merged key by key, and a bare switch leaves a table's other keys alone", () => {
    expect(
      mergeConfig(
        {
          timeout_ms: 5,
          attachments: { plan_mode: { full_every: 3 }, todo_reminder: false, token_usage: true },
        },
        {
          enabled: true,
          attachments: { plan_mode: false, todo_reminder: { min_turns_between: 9 }, task_status: true },
        },
      ),
    ).toEqual({
      timeout_ms: 5,
      enabled: true,
      attachments: {
        plan_mode: { full_every: 3, enabled: false },
        todo_reminder: { enabled: false, min_turns_between: 9 },
        token_usage: true,
        task_status: true,
      },
    });
    expect(
      mergeConfig(
        { memory: { managed_dir: "/etc/rules", file_names: ["A.md"] } },
        { memory: { file_names: ["B.md"] } },
      ),
    ).toEqual({ memory: { managed_dir: "/etc/rules", file_names: ["B.md"] } });
    expect(mergeConfig({ attachments: { plan_mode: true } }, undefined)).toEqual({
      attachments: { plan_mode: true },
    });
    expect(mergeConfig({ context_forms: ["one"] }, { context_forms: ["two"] })).toEqual({
      context_forms: ["two"],
    });
  });
});

describe("switches in a session", () => {
  const planFile = () => {
    const source = {
      fact: "planFile",
      asked: 0,
      observe: () => {
        source.asked++;
        return { exists: true };
      },
    } satisfies Source & { asked: number };
    return source;
  };

  it("AC-15 enabled = false gives nothing, at once, and asks nobody", async () => {
    const source = planFile();
    const store = createMemoryStore();
    const config = { enabled: false, critical_instruction: "Run the tests." };
    const session = openSession({ config, sources: [source], store });
    await session.record({ type: "mode_changed", mode: "plan" });
    const body = { messages: [{ role: "user", content: "Hi." }] };
    const turn = await session.turn({ body });
    expect(turn.body).toBe(body);
    expect({ reminders: turn.reminders, messages: turn.messages, attachments: turn.attachments }).toEqual({
      reminders: [],
      messages: [],
      attachments: [],
    });
    expect(turn.trace.map(({ outcome, reason, bytes }) => ({ outcome, reason, bytes }))).toEqual(
      catalogue.map(() => ({ outcome: "off", reason: "switched off: enabled = false", bytes: 0 })),
    );
    expect(source.asked).toBe(0);
  });

  it("AC-16 a type that is off has zero bytes, and a source that only it needs is never asked", async () => {
    const source = planFile();
    const session = openSession({
      config: { attachments: { plan_mode: false, plan_mode_exit: false, plan_file_reference: false } },
      sources: [source],
    });
    await session.record({ type: "mode_changed", mode: "plan" });
    const turn = await answered(session);
    expect(turn.reminders).toEqual([]);
    expect(turn.trace.filter(({ type }) => type.startsWith("plan_mode"))).toEqual(
      ["plan_mode_reentry", "plan_mode", "plan_mode_exit"].map((type) =>
        expect.objectContaining({ type, outcome: "off", bytes: 0, tokens: 0, ms: 0 }),
      ),
    );
    expect(source.asked).toBe(0);
  });

  it("AC-16 a source is asked while one of the types that need it is on", async () => {
    const source = planFile();
    const session = openSession({ config: { attachments: { plan_mode: false } }, sources: [source] });
    await answered(session);
    expect(source.asked).toBe(1);
  });

  it("AC-16 config_changed switches at run time, both ways", async () => {
    const session = openSession({ config: { critical_instruction: "Run the tests." } });
    const critical = (enabled: boolean) =>
      session.record({ type: "config_changed", config: { attachments: { critical_instruction: enabled } } });
    expect(says(await answered(session), "critical_system_reminder")).toBe(true);
    await critical(false);
    expect(outcomeOf(await answered(session), "critical_system_reminder")).toBe(
      "off: switched off: attachments.critical_system_reminder",
    );
    await critical(true);
    expect(says(await answered(session), "critical_system_reminder")).toBe(true);
    await session.record({ type: "config_changed", config: { critical_instruction: "Something else." } });
    expect((await answered(session)).reminders[0]?.text).toContain("Something else.");
  });

  it("AC-15 config_changed switches everything off and on again", async () => {
    const session = openSession({ config: { critical_instruction: "Run the tests." } });
    await session.record({ type: "config_changed", config: { enabled: false } });
    expect((await session.turn()).reminders).toEqual([]);
    await session.record({ type: "config_changed", config: { enabled: true } });
    expect(says(await session.turn(), "critical_system_reminder")).toBe(true);
  });

  it("AC-15 what was switched off at run time is off for a session that goes on from the log", async () => {
    const store = createMemoryStore();
    const options = { id: "s1", store, config: { critical_instruction: "Run the tests." } };
    const first = openSession(options);
    await first.record({ type: "config_changed", config: { enabled: false } });
    await first.close();
    const source = planFile();
    const turn = await openSession({ ...options, sources: [source] }).turn();
    expect(turn.reminders).toEqual([]);
    expect(outcomeOf(turn, "critical_system_reminder")).toBe("off: switched off: enabled = false");
    expect(source.asked).toBe(0);
  });

  it("a bad config_changed throws, naming what is wrong, and appends nothing", async () => {
    const store = createMemoryStore();
    const session = openSession({ id: "s1", store });
    await session.turn();
    const before = (await store.read("s1", 0)).last;
    const change = (config: Record<string, unknown>) => () =>
      session.record({ type: "config_changed", config });
    expect(change({ attachments: { todo_remindr: false } })).toThrow(
      'config_changed: config.attachments: "todo_remindr" is not known; did you mean "todo_reminder"?',
    );
    expect(change({ timeout_ms: "1" })).toThrow(
      'config_changed: config.timeout_ms: expected number, got "1"',
    );
    await session.turn();
    const { entries } = await store.read("s1", before);
    expect(entries.filter(({ kind }) => kind === "event")).toEqual([]);
  });
});
