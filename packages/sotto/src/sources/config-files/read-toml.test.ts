import { describe, expect, it } from "vitest";
import { catalogue } from "../../attachments/catalogue.ts";
import { problemText } from "../../platform/errors.ts";
import { readToml } from "./read-toml.ts";

const read = (text: string) => {
  const { config, problems } = readToml("/p/sotto.toml", text, catalogue);
  return { config, problems: problems.map(problemText) };
};

describe("a config file", () => {
  it("is its [system_reminder] table; tables of others are left alone", () => {
    expect(read('name = "x"\n[model]\nname = "y"\n[system_reminder]\ntimeout_ms = 50\n')).toEqual({
      config: { timeout_ms: 50 },
      problems: [],
    });
    expect(read("[model]\nname = 1\n")).toEqual({ config: undefined, problems: [] });
    expect(read("")).toEqual({ config: undefined, problems: [] });
  });

  it("names ten likely typos at most, however many there are", () => {
    const text = Array.from({ length: 8000 }, (_, at) => `[system_reminde${at}]\nx = 1\n`).join("");
    const { problems } = read(text);
    expect(problems).toHaveLength(10);
    expect(problems[9]).toBe(
      '/p/sotto.toml:19:2: "system_reminde9" is not known; did you mean "system_reminder"?',
    );
  });

  it("knows attachments by one name, whatever they are called in it", () => {
    const text =
      "[system_reminder.attachments]\nbackground_task = false\ntodo_reminder.max_per_session = 1\n";
    expect(read(text).config).toEqual({
      attachments: { unified_tasks: false, todo_reminders: { max_per_session: 1 } },
    });
  });

  it.each([
    [
      "[system_reminder]\ntimeout_ms = 5\n",
      "2:1: system_reminder.timeout_ms: expected >=10, got 5 (the file is ignored)",
    ],
    [
      "[system_reminder]\nenabled = true\ntimeout = 5\n",
      '3:1: system_reminder: "timeout" is not known; did you mean "timeout_ms"? (the file is ignored)',
    ],
    [
      "[system_reminder]\nattachments = { todo_reminder = true, plan_mod = false }\n",
      '2:39: system_reminder.attachments: "plan_mod" is not known; did you mean "plan_mode"? (the file is ignored)',
    ],
    [
      "[system_reminder.attachments.plan_mode]\n\nfull_every = 0 # often\n",
      "3:1: system_reminder.attachments.plan_mode.full_every: expected >=1, got 0 (the file is ignored)",
    ],
    [
      "system_reminder.memory.file_names = 'AGENTS.md'\n",
      '1:24: system_reminder.memory.file_names: expected Array, got "AGENTS.md" (the file is ignored)',
    ],
    [
      "[system_reminder]\ncontext_forms = ['long enough', 'ab']\n",
      "2:1: system_reminder.context_forms.1: expected >=3, got 2 (the file is ignored)",
    ],
    ["system_reminder = 1\n", "1:1: system_reminder: expected a table (the file is ignored)"],
    [
      "[system_reminder]\nrole = 'root'\n",
      '2:1: system_reminder.role: expected ("user" | "native"), got "root" (the file is ignored)',
    ],
  ])("%j is told by line and column, and skipped as a whole", (text, words) => {
    expect(read(text)).toEqual({ config: undefined, problems: [`/p/sotto.toml:${words}`] });
  });

  it("that is no TOML is told by line and column", () => {
    const { config, problems } = read("[system_reminder]\nenabled = true\ntimeout_ms = = 5\n");
    expect({ config, problems }).toEqual({
      config: undefined,
      problems: [
        expect.stringMatching(
          /^\/p\/sotto\.toml:3:\d+: it is not valid TOML: [^\n]+ \(the file is ignored\)$/u,
        ),
      ],
    });
  });

  it("with a slip in the name of the table is told; so is a key outside of it", () => {
    expect(read("[system_reminders]\nenabled = false\n")).toEqual({
      config: undefined,
      problems: ['/p/sotto.toml:1:2: "system_reminders" is not known; did you mean "system_reminder"?'],
    });
    expect(read("enabled = false\n[system_reminder]\ntimeout_ms = 20\n")).toEqual({
      config: { timeout_ms: 20 },
      problems: ['/p/sotto.toml:1:1: "enabled" is outside of [system_reminder], where it has no effect'],
    });
  });
});
