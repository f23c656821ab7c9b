import { userInfo } from "node:os";
import { afterEach, expect, it, vi } from "vitest";
import { defaultStorePath } from "./user-directories.ts";

afterEach(() => vi.unstubAllEnvs());

it("the store is in the user's state directory, or in that of another home", () => {
  vi.stubEnv("XDG_STATE_HOME", "/var/mine");
  expect([defaultStorePath(), defaultStorePath("/home/ada")]).toEqual([
    "/var/mine/sotto/sotto.db",
    "/home/ada/.local/state/sotto/sotto.db",
  ]);
});

it.each(["", "home", "./ada"])("a HOME that is no absolute path is ignored: %j", (home) => {
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_STATE_HOME", "");
  expect(defaultStorePath()).toBe(`${userInfo().homedir}/.local/state/sotto/sotto.db`);
});
