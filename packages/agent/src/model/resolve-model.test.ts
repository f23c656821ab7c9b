import { describe, expect, it } from "vitest";
import { costOf, modelFacts } from "./model-facts.ts";
import { resolveModel } from "./resolve-model.ts";

const resolve = (request: Parameters<typeof resolveModel>[0], environment: Record<string, string> = {}) =>
  resolveModel(request, environment);
const idOf = async (...given: Parameters<typeof resolve>) => (await resolve(...given))?.id;

describe("the model", () => {
  it("is the rehearsal where nothing is set", async () => {
    expect(await resolve({})).toBeUndefined();
    expect(await resolve({ model: "rehearsal" }, { ANTHROPIC_API_KEY: "k" })).toBeUndefined();
  });

  it("is the provider's usual one where only its key is set", async () => {
    expect(await idOf({}, { ANTHROPIC_API_KEY: "k" })).toBe("anthropic/claude-sonnet-5-5");
    expect(await idOf({}, { OPENAI_API_KEY: "k" })).toBe("openai/gpt-5.6-sol");
    expect(await idOf({}, { GEMINI_API_KEY: "k" })).toBe("google/gemini-2.5-pro");
  });

  it("is what was named, with a key or an address of its own", async () => {
    expect(await idOf({ model: "openai-chat/gpt-4.1" }, { OPENAI_API_KEY: "k" })).toBe("openai-chat/gpt-4.1");
    expect(await idOf({ model: "compatible/llama3", baseUrl: "http://127.0.0.1:1/v1" })).toBe(
      "compatible/llama3",
    );
    expect(await idOf({ model: "compatible/org/name" }, { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toBe(
      "compatible/org/name",
    );
  });

  it("may be named by the dialect it speaks", async () => {
    const keys = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };
    const models = ["anthropic-messages/claude-opus-5", "openai-responses/gpt-5", "gemini/gemini-2.5-pro"];
    expect(await Promise.all(models.map((model) => idOf({ model }, keys)))).toEqual([
      ...["anthropic/claude-opus-5", "openai/gpt-5", "google/gemini-2.5-pro"],
    ]);
  });

  it.each([
    ["gpt-5", 'expected provider/name, such as anthropic/claude-sonnet-5-5, got "gpt-5"'],
    ["antropic/claude", 'unknown provider "antropic"; did you mean "anthropic"?'],
    ["anthropic/claude", "there is no key for anthropic/claude; set ANTHROPIC_API_KEY, or --base-url"],
    ["google/", "expected provider/name"],
    ["compatible/x", "needs an address; set --base-url or SOTTO_BASE_URL or OPENAI_BASE_URL"],
  ])("%s says what to set", async (model, words) => {
    await expect(resolve({ model })).rejects.toThrow(words);
  });

  const all =
    "providers: anthropic or anthropic-messages, openai or openai-responses, openai-chat, google or gemini, compatible";

  it.each(["gpt-5", "antropic/x", "mistral/x", "google/"])(
    "%s is answered with all providers",
    async (model) => {
      await expect(resolve({ model })).rejects.toThrow(all);
    },
  );

  describe("chosen while a session runs", () => {
    const baseUrl = "http://127.0.0.1:1/v1";
    const during = { sessionId: "run-1", provider: "compatible" as const };
    const keys = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };

    it.each(["anthropic/x", "openai/x", "openai-chat/x", "gemini/x"])(
      "%s does not get the address of another provider",
      async (model) => {
        await expect(resolve({ model, baseUrl, during }, keys)).rejects.toThrow(
          /^\/model: --base-url http:\/\/127\.0\.0\.1:1\/v1 is for compatible, .*: sotto run --resume run-1 --model \w/u,
        );
      },
    );

    it("is fine where the provider is the same, or has an address of its own", async () => {
      expect(await idOf({ model: "compatible/y", baseUrl, during })).toBe("compatible/y");
      expect(await idOf({ model: "anthropic/y", during }, keys)).toBe("anthropic/y");
    });

    it.each([
      ["mistral/x", `/model: unknown provider "mistral"; ${all}`],
      ["gpt-5", "/model: expected provider/name"],
      ["anthropic/x", "/model: there is no key for anthropic/x; end this session, set ANTHROPIC_API_KEY"],
      ["compatible/x", "/model: compatible/x needs an address; end this session"],
    ])("%s says what is wrong with /model", async (model, words) => {
      await expect(resolve({ model, during })).rejects.toThrow(words);
      await expect(resolve({ model, during })).rejects.not.toThrow("--model:");
    });
  });

  it("has a window by its family, or as told", async () => {
    expect([modelFacts("claude-sonnet-4-5").window, modelFacts("unheard-of").window]).toEqual([
      200_000, 128_000,
    ]);
    const { window } =
      (await resolve({ model: "openai/gpt-5", window: 5000 }, { OPENAI_API_KEY: "k" })) ?? {};
    expect(window).toBe(5000);
  });

  it("costs what its family costs, cached tokens less", () => {
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 900_000, cacheWrite: 0 };
    expect(costOf(usage, modelFacts("claude-sonnet-4-5").price)).toBeCloseTo(0.3 + 1.5 + 0.27);
    expect(costOf(usage, modelFacts("claude-sonnet-5-5").price)).toBeCloseTo(0.2 + 1 + 0.18);
    expect(costOf(usage, modelFacts("gpt-5.6-sol").price)).toBeCloseTo(0.5 + 3 + 0.45);
    expect(costOf(usage, modelFacts("unheard-of").price)).toBeUndefined();
  });
});
