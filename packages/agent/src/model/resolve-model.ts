// Chooses the model by name and environment variables, or the rehearsal when neither is set.

import type { LanguageModel } from "ai";
import { didYouMean, redactedUrl } from "sotto/internal";
import { usageError } from "../terminal/failure.ts";
import { fetchAnswer } from "./call-model.ts";
import { type ConfiguredModel, configuredFacts, type ModelFacts, modelFacts } from "./model-facts.ts";

export interface ChosenModel extends ModelFacts {
  /** `provider/name`. */
  id: string;
  provider: Provider;
  model: LanguageModel;
}

export type Provider = "anthropic" | "openai" | "openai-chat" | "google" | "compatible";

interface ProviderOptions {
  apiKey: string;
  baseURL?: string;
  fetch: typeof fetch;
}

interface ProviderSetup {
  keys: readonly string[];
  baseUrls: readonly string[];
  /** Used when only a key is set. */
  defaultModel?: string;
  open(name: string, options: ProviderOptions): Promise<LanguageModel>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const SETUPS: Record<Provider, ProviderSetup> = {
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    baseUrls: ["ANTHROPIC_BASE_URL"],
    defaultModel: "claude-sonnet-5-5",
    // Other clients take the host alone; this SDK needs the version path.
    open: async (name, { baseURL, ...options }) =>
      (await import("@ai-sdk/anthropic")).createAnthropic({
        ...options,
        ...(baseURL === undefined ? {} : { baseURL: withPath(baseURL, "/v1") }),
      })(name),
  },
  openai: {
    keys: ["OPENAI_API_KEY"],
    baseUrls: ["OPENAI_BASE_URL"],
    defaultModel: "gpt-5.6-sol",
    open: async (name, options) => (await import("@ai-sdk/openai")).createOpenAI(options).responses(name),
  },
  "openai-chat": {
    keys: ["OPENAI_API_KEY"],
    baseUrls: ["OPENAI_BASE_URL"],
    open: async (name, options) => (await import("@ai-sdk/openai")).createOpenAI(options).chat(name),
  },
  google: {
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrls: ["GOOGLE_GEMINI_BASE_URL"],
    defaultModel: "gemini-2.5-pro",
    open: async (name, { baseURL, ...options }) =>
      (await import("@ai-sdk/google")).createGoogle({
        ...options,
        ...(baseURL === undefined ? {} : { baseURL: withPath(baseURL, "/v1beta") }),
      })(name),
  },
  compatible: {
    keys: ["SOTTO_API_KEY", "OPENAI_API_KEY"],
    baseUrls: ["SOTTO_BASE_URL", "OPENAI_BASE_URL"],
    open: async (name, { baseURL = "", ...options }) =>
      (await import("@ai-sdk/openai-compatible")).createOpenAICompatible({
        name: "compatible",
        ...options,
        baseURL,
        includeUsage: true,
      })(name),
  },
};

const PROVIDERS = Object.keys(SETUPS) as Provider[];
/** Names of dialects, as aliases. */
const ALSO: Readonly<Record<string, Provider>> = {
  "anthropic-messages": "anthropic",
  "openai-responses": "openai",
  gemini: "google",
};
export const REHEARSAL = "rehearsal";
/** How to use a real model. */
export const SET_A_MODEL =
  "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or give --model and --base-url";

export interface ModelRequest {
  /** `provider/name`; default: by the key that is set. */
  model?: string | undefined;
  baseUrl?: string | undefined;
  window?: number | undefined;
  /** Windows and prices from config. */
  models?: readonly ConfiguredModel[];
  /** Set when the model is switched during a session, which cannot change its address or keys. */
  during?: RunningSession;
}

export interface RunningSession {
  /** Undefined when the session is not stored and cannot be resumed. */
  sessionId?: string | undefined;
  /** The provider it started with: --base-url belongs to that one. */
  provider: Provider;
}

/** Returns undefined for the rehearsal. */
export async function resolveModel(
  { model, baseUrl, window, models = [], during }: ModelRequest,
  environment: Environment,
): Promise<ChosenModel | undefined> {
  if (baseUrl !== undefined) checkAddress(baseUrl);
  const wanted = model ?? defaultModel(environment);
  if (wanted === undefined || wanted === REHEARSAL) return undefined;
  const { provider, name } = parse(wanted, during === undefined ? "--model" : "/model");
  const id = `${provider}/${name}`;
  const resumed = during?.sessionId === undefined ? "" : ` --resume ${during.sessionId}`;
  const again = during && `run: sotto run${resumed} --model ${id}`;
  if (during !== undefined && baseUrl !== undefined && during.provider !== provider)
    throw usageError(
      `/model: --base-url ${baseUrl} is for ${during.provider}, not for ${provider}; end this session and ${again}`,
    );
  const door = SETUPS[provider];
  const url = baseUrl ?? first(environment, door.baseUrls);
  if (url !== undefined)
    checkAddress(
      url,
      door.baseUrls.find((one) => environment[one] === url),
    );
  if (provider === "compatible" && url === undefined)
    throw usageError(
      again === undefined
        ? `${id} needs an address; set --base-url or ${door.baseUrls.join(" or ")}`
        : `/model: ${id} needs an address; end this session and ${again} --base-url URL`,
    );
  const key = first(environment, door.keys);
  // A server with its own address may not need a key.
  if (key === undefined && url === undefined)
    throw usageError(
      again !== undefined
        ? `/model: there is no key for ${id}; end this session, set ${door.keys.join(" or ")}, and ${again}`
        : `there is no key for ${id}; set ${door.keys.join(" or ")}, or --base-url for a server that needs none (without --model, the built-in rehearsal runs)`,
    );
  const options = {
    apiKey: key ?? "none",
    fetch: fetchAnswer,
    ...(url === undefined ? {} : { baseURL: url }),
  };
  const facts = { ...modelFacts(name), ...configuredFacts(models, id) };
  return {
    id,
    provider,
    ...facts,
    ...(window === undefined ? {} : { window }),
    model: await door.open(name, options),
  };
}

function checkAddress(url: string, name = "--base-url"): void {
  if (URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)) return;
  const shown = redactedUrl(url);
  throw usageError(`${name}: "${shown}" is not an address; expected one such as http://localhost:8080/v1`);
}

function defaultModel(environment: Environment): string | undefined {
  const provider = PROVIDERS.find(
    (one) => SETUPS[one].defaultModel !== undefined && first(environment, SETUPS[one].keys) !== undefined,
  );
  return provider === undefined ? undefined : `${provider}/${SETUPS[provider].defaultModel}`;
}

function parse(id: string, where: "--model" | "/model"): { provider: Provider; name: string } {
  const slash = id.indexOf("/");
  const given = id.slice(0, slash);
  const provider = Object.hasOwn(ALSO, given) ? (ALSO[given] as Provider) : (given as Provider);
  const name = id.slice(slash + 1);
  const known = `providers: ${PROVIDERS.map(withOtherNames).join(", ")}`;
  if (slash <= 0 || name === "")
    throw usageError(
      `${where}: expected provider/name, such as anthropic/claude-sonnet-5-5, got "${id}"; ${known}`,
    );
  if (!PROVIDERS.includes(provider))
    throw usageError(
      `${where}: unknown provider "${provider}"${didYouMean(provider, [...PROVIDERS, ...Object.keys(ALSO)])}; ${known}`,
    );
  return { provider, name };
}

function withOtherNames(provider: Provider): string {
  const others = Object.keys(ALSO).filter((name) => ALSO[name] === provider);
  return [provider, ...others].join(" or ");
}

function first(environment: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
}

function withPath(url: string, path: string): string {
  const bare = url.replace(/\/+$/u, "");
  return bare.endsWith(path) ? bare : `${bare}${path}`;
}
