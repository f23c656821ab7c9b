import { describe, expect, it, onTestFinished, vi } from "vitest";
import { environmentNames, readEnvironment, turnMsSet } from "./ambient-config.ts";

const all = Object.values(environmentNames).flat();

describe("AC-19 the environment", () => {
  it("says nothing where nothing is set", () => {
    expect(readEnvironment({})).toEqual({ config: {}, problems: [] });
    const empty = Object.fromEntries(all.map((name) => [name, " "]));
    expect(readEnvironment(empty)).toEqual({ config: {}, problems: [] });
  });

  it.each(environmentNames.disable)("%s switches everything off", (name) => {
    for (const value of ["1", "true", "yes", "on", "TRUE", " 1 "])
      expect(readEnvironment({ [name]: value })).toEqual({ config: { enabled: false }, problems: [] });
    for (const value of ["0", "false", "no", "off", ""])
      expect(readEnvironment({ [name]: value })).toEqual({ config: {}, problems: [] });
  });

  it.each(environmentNames.enable_token_usage)("%s switches token usage on", (name) => {
    expect(readEnvironment({ [name]: "yes" })).toEqual({
      config: { enable_token_usage: "every_turn" },
      problems: [],
    });
    expect(readEnvironment({ [name]: "off" })).toEqual({ config: {}, problems: [] });
  });

  it.each(environmentNames.timeout_ms)("%s is the deadline", (name) => {
    expect(readEnvironment({ [name]: "250" })).toEqual({ config: { timeout_ms: 250 }, problems: [] });
  });

  it("our own name goes before those of others, also where it is not set", () => {
    for (const names of [environmentNames.disable, environmentNames.enable_token_usage])
      for (const alias of names.slice(1)) {
        expect(readEnvironment({ [names[0]]: "0", [alias]: "1" }).config).toEqual({});
        expect(readEnvironment({ [names[0]]: "", [alias]: "1" }).config).not.toEqual({});
      }
    const [own, other] = environmentNames.timeout_ms;
    expect(readEnvironment({ [own]: "20", [other]: "30" }).config).toEqual({ timeout_ms: 20 });
  });

  it.each(["abc", "5", "60001", "1e3", "-20", "12.5"])(
    "a deadline of %s is told and left out; the rest holds",
    (value) => {
      expect(readEnvironment({ SOTTO_TIMEOUT_MS: value, SOTTO_DISABLE: "1" })).toEqual({
        config: { enabled: false },
        problems: [
          {
            where: "SOTTO_TIMEOUT_MS",
            problem: "expected a whole number of milliseconds from 10 to 60000; ignored",
          },
        ],
      });
    },
  );

  it("AC-48 a value that is not understood is never repeated", () => {
    const canary = "sk-canary-7f3a";
    const { config, problems } = readEnvironment(Object.fromEntries(all.map((name) => [name, canary])));
    expect({ config, names: problems.map(({ where }) => where) }).toEqual({
      config: {},
      names: ["SOTTO_DISABLE", "SOTTO_ENABLE_TOKEN_USAGE", "SOTTO_TIMEOUT_MS"],
    });
    expect(JSON.stringify(problems)).not.toContain(canary);
  });
});

it.each([
  ["250", 250],
  ["", undefined],
  ["soon", undefined],
  ["90000", undefined],
])("whoever waits for a turn knows its deadline: %j", (value, ms) => {
  vi.stubEnv("SOTTO_TIMEOUT_MS", value);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(turnMsSet()).toBe(ms);
});
