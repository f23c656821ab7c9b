import { expect, it } from "vitest";
import { redactEnvironment } from "./redact.ts";

it.each([
  ["OPENAI_API_KEY", "sk-short"],
  ["DB_PASSWORD", "hunter22"],
  ["DATABASE_URL", "postgres://me:pw@db.example/app"],
  ["DEPLOY", "ghp0a1B2c3D4e5F6g7H8"],
  ["GITHUB_PAT", "abcdef"],
])("%s is a secret", (name, value) => {
  expect(redactEnvironment({ [name]: value })(`before ${value}, after`)).toBe(`before [${name}], after`);
});

it.each([
  ["HOME", "/home/ada"],
  ["NODE_ENV", "production"],
  ["GIT_AUTHOR_NAME", "Ada Lovelace"],
  ["KEYBOARD_LAYOUT", "dvorak"],
  ["GOPATH", "/home/ada/go1.22/pkg-mod"],
  ["PROXY", "http://proxy.example:8080"],
  ["API_KEY", ""],
  ["API_KEY", "x"],
])("%s=%j is none", (name, value) => {
  const text = `before ${value}, after`;
  expect(redactEnvironment({ [name]: value })(text)).toBe(text);
});

it("takes the longest first, and the lines of a key one by one", () => {
  const redact = redactEnvironment({
    A_TOKEN: "abcdefgh",
    B_TOKEN: "abcdefghijkl",
    PRIVATE_PEM: "-----BEGIN-----\nMIIEvQIBADANBgkqhkiG\n-----END-----",
  });
  expect(redact("abcdefghijkl abcdefgh\n  MIIEvQIBADANBgkqhkiG\n")).toBe(
    "[B_TOKEN] [A_TOKEN]\n  [PRIVATE_PEM]\n",
  );
});
