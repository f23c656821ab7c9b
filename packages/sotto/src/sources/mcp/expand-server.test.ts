import { expect, it } from "vitest";
import { createRedactor } from "./connection.ts";
import { expandServer } from "./server-settings.ts";

const variable = (inside: string) => `\${${inside}}`;

it("fills variables and their defaults in everywhere", () => {
  const server = {
    command: variable("BIN"),
    args: ["--port", variable("PORT:-80"), `$PORT ${variable("EMPTY:-none")}`],
    env: { HOME: variable("HOME") },
    cwd: `${variable("HOME")}/x`,
  };
  expect(expandServer(server, { BIN: "/bin/x", HOME: "/h", EMPTY: "" })).toEqual({
    server: {
      command: "/bin/x",
      args: ["--port", "80", "$PORT none"],
      env: { HOME: "/h" },
      cwd: "/h/x",
    },
    secrets: [],
  });
});

it("what is missing is named, all of it", () => {
  const server = { url: variable("URL"), headers: { a: variable("KEY") } };
  expect(expandServer(server, {})).toEqual({ missing: "URL, KEY are not set in the environment" });
});

it("headers, and variables that are called like it, hold secrets: they are shown nowhere", () => {
  const server = { url: `http://x/${variable("API_KEY")}`, headers: { Authorization: "Bearer abcdef-123" } };
  const expanded = expandServer(server, { API_KEY: "sk-98765" });
  const secrets = "secrets" in expanded ? expanded.secrets : [];
  expect(secrets).toEqual(["Bearer abcdef-123", "abcdef-123", "sk-98765"]);
  expect(createRedactor(secrets)("got sk-98765 and abcdef-123")).toBe("got [secret] and [secret]");
});
