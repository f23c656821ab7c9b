import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemText } from "sotto/inspect";
import { expect, onTestFinished, test } from "vitest";
import { configuredFacts, configuredModels } from "./model-facts.ts";
import { resolveModel } from "./resolve-model.ts";

function homeWith(toml: string): { cwd: string; home: string; path: string } {
  const root = mkdtempSync(join(tmpdir(), "sotto-models-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "home/.config/sotto"), { recursive: true });
  mkdirSync(join(root, "project"));
  const path = join(root, "home/.config/sotto/config.toml");
  writeFileSync(path, toml);
  return { cwd: join(root, "project"), home: join(root, "home"), path };
}

test("an entry says the window, the price, or both, of all models that begin like it", async () => {
  const { models, problems } = await configuredModels(
    homeWith(`
[models."qwen"]
window = 32000
[models."qwen3-coder"]
price = { input = 0.5, output = 2, cache_read = 0.05, cache_write = 0.6 }
[models."anthropic/claude-sonnet"]
window = 1_000_000
[models."local"]
price = { input = 1, output = 2.5 }
[system_reminder]
timeout_ms = 500
`),
  );
  expect(problems).toEqual([]);
  const price = { input: 0.5, output: 2, cacheRead: 0.05, cacheWrite: 0.6 };
  expect(configuredFacts(models, "compatible/qwen3-coder-30b")).toEqual({ window: 32_000, price });
  expect(configuredFacts(models, "compatible/Org/qwen3-coder")).toEqual({ window: 32_000, price });
  expect(configuredFacts(models, "anthropic/claude-sonnet-4-5")).toEqual({ window: 1_000_000 });
  expect(configuredFacts(models, "openai/local")).toEqual({
    price: { input: 1, output: 2.5, cacheRead: 1, cacheWrite: 1 },
  });
  expect(configuredFacts(models, "openai/gpt-5")).toEqual({});
  const request = { model: "anthropic/claude-sonnet-4-5", baseUrl: "http://127.0.0.1:1", models };
  // What it does not say stays as it is known; the command line goes before all.
  expect(await resolveModel(request, {})).toMatchObject({ window: 1_000_000, price: { input: 3 } });
  expect(await resolveModel({ ...request, window: 5000 }, {})).toMatchObject({ window: 5000 });
});

test("what is wrong is told by line and column, and leaves out its entry alone", async () => {
  const place = homeWith(`[models."a"]
windw = 5000
[models."b"]
window = "large"
[models."c"]
price = { input = 1, outptu = 2 }
[models."d"]
window = 2000
`);
  const { models, problems } = await configuredModels(place);
  expect(models).toEqual([{ prefix: "d", window: 2000 }]);
  expect(problems.map((problem) => problemText(problem).replace(place.path, "config.toml"))).toEqual([
    'config.toml:2:1: models."a": unknown key "windw"; did you mean "window"? (entry ignored)',
    expect.stringMatching(/^config\.toml:4:1: models\."b"\.window: .*expected number.* \(entry ignored\)$/u),
    expect.stringMatching(/^config\.toml:6:1: models\."c"\.price\.output: .* \(entry ignored\)$/u),
    expect.stringMatching(
      /^config\.toml:6:\d+: models\."c"\.price: unknown key "outptu"; did you mean "output"\?/u,
    ),
  ]);
});

test.each(["models = 3\n", "models = [1]\n"])("%j is no table of models", async (toml) => {
  const { models, problems } = await configuredModels(homeWith(toml));
  expect({ models, words: problems.map(({ line, problem }) => [line, problem]) }).toEqual({
    models: [],
    words: [[1, 'models: expected tables such as [models."my-model"]']],
  });
});
