// Which model: by name and the usual environment variables, or the rehearsal where nothing is set.

import type { LanguageModel } from "ai";
import { didYouMean } from "sotto/internal";
import { usageError } from "../terminal/failure.ts";
import { type ConfiguredModel, configuredFacts, type ModelFacts, modelFacts } from "./model-facts.ts";

export interface ChosenModel extends ModelFacts {
  /** As `provider/name`. */
  id: string;
  provider: Provider;
  model: LanguageModel;
}

export type Provider = "anthropic" | "openai" | "openai-chat" | "google" | "compatible";

interface Door {
  keys: readonly string[];
  baseUrls: readonly string[];
  /** Used where only a key is set. */
  usual?: string;
  open(name: string, options: { apiKey: string; baseURL?: string }): Promise<LanguageModel>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DOORS: Record<Provider, Door> = {
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    baseUrls: ["ANTHROPIC_BASE_URL"],
    usual: "claude-sonnet-5-5",
    // Other clients name the host alone; this one wants the version, too.
    open: async (name, { apiKey, baseURL }) =>
      (await import("@ai-sdk/anthropic")).createAnthropic({
        apiKey,
        ...(baseURL === undefined ? {} : { baseURL: withPath(baseURL, "/v1") }),
      })(name),
  },
  openai: {
    keys: ["OPENAI_API_KEY"],
    baseUrls: ["OPENAI_BASE_URL"],
    usual: "gpt-5.6-sol",
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
    usual: "gemini-2.5-pro",
    open: async (name, { apiKey, baseURL }) =>
      (await import("@ai-sdk/google")).createGoogle({
        apiKey,
        ...(baseURL === undefined ? {} : { baseURL: withPath(baseURL, "/v1beta") }),
      })(name),
  },
  compatible: {
    keys: ["SOTTO_API_KEY", "OPENAI_API_KEY"],
    baseUrls: ["SOTTO_BASE_URL", "OPENAI_BASE_URL"],
    open: async (name, { apiKey, baseURL = "" }) =>
      (await import("@ai-sdk/openai-compatible")).createOpenAICompatible({
        name: "compatible",
        apiKey,
        baseURL,
        includeUsage: true,
      })(name),
  },
};

const PROVIDERS = Object.keys(DOORS) as Provider[];
/** The names of the dialects that they speak. */
const ALSO: Readonly<Record<string, Provider>> = {
  "anthropic-messages": "anthropic",
  "openai-responses": "openai",
  gemini: "google",
};
export const REHEARSAL = "rehearsal";
/** How to get another than the rehearsal. */
export const SET_A_MODEL =
  "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or give --model and --base-url";

export interface ModelRequest {
  /** `provider/name`; nothing: by the keys that are set. */
  model?: string | undefined;
  baseUrl?: string | undefined;
  window?: number | undefined;
  /** What config says of models. */
  models?: readonly ConfiguredModel[];
  /** Chosen while a session runs, which cannot get another address or other keys. */
  during?: RunningSession;
}

export interface RunningSession {
  /** Nothing where it is kept nowhere, and cannot be resumed. */
  sessionId?: string | undefined;
  /** Of the model it began with: --base-url is an address of that provider. */
  provider: Provider;
}

/** Nothing where it is the rehearsal. */
export async function resolveModel(
  { model, baseUrl, window, models = [], during }: ModelRequest,
  environment: Environment,
): Promise<ChosenModel | undefined> {
  const wanted = model ?? usualModel(environment);
  if (wanted === undefined || wanted === REHEARSAL) return undefined;
  const { provider, name } = parse(wanted, during === undefined ? "--model" : "/model");
  const id = `${provider}/${name}`;
  const resumed = during?.sessionId === undefined ? "" : ` --resume ${during.sessionId}`;
  const again = during && `start again: sotto run${resumed} --model ${id}`;
  if (during !== undefined && baseUrl !== undefined && during.provider !== provider)
    throw usageError(
      `/model: --base-url ${baseUrl} belongs to ${during.provider}, and ${provider} needs another address; end this session and ${again}`,
    );
  const door = DOORS[provider];
  const url = baseUrl ?? first(environment, door.baseUrls);
  if (provider === "compatible" && url === undefined)
    throw usageError(
      again === undefined
        ? `${id}: set its address, with --base-url or ${door.baseUrls.join(" or ")}`
        : `/model: ${id} needs an address; end this session, and ${again} --base-url URL`,
    );
  const key = first(environment, door.keys);
  // A server on this machine mostly wants none.
  if (key === undefined && url === undefined)
    throw usageError(
      again !== undefined
        ? `/model: no key for ${id} is set; end this session, set ${door.keys.join(" or ")}, and ${again}`
        : `${id}: no key is set; set ${door.keys.join(" or ")}, or --base-url for a server that needs none (without --model the built-in rehearsal runs)`,
    );
  const options = { apiKey: key ?? "none", ...(url === undefined ? {} : { baseURL: url }) };
  const facts = { ...modelFacts(name), ...configuredFacts(models, id) };
  return {
    id,
    provider,
    ...facts,
    ...(window === undefined ? {} : { window }),
    model: await door.open(name, options),
  };
}

function usualModel(environment: Environment): string | undefined {
  const provider = PROVIDERS.find(
    (one) => DOORS[one].usual !== undefined && first(environment, DOORS[one].keys) !== undefined,
  );
  return provider === undefined ? undefined : `${provider}/${DOORS[provider].usual}`;
}

function parse(id: string, where: "--model" | "/model"): { provider: Provider; name: string } {
  const slash = id.indexOf("/");
  const given = id.slice(0, slash);
  const provider = Object.hasOwn(ALSO, given) ? (ALSO[given] as Provider) : (given as Provider);
  const name = id.slice(slash + 1);
  const known = `there are ${PROVIDERS.map(withOtherNames).join(", ")}`;
  if (slash <= 0 || name === "")
    throw usageError(
      `${where}: expected provider/name, as anthropic/claude-sonnet-5-5, got "${id}"; ${known}`,
    );
  if (!PROVIDERS.includes(provider))
    throw usageError(
      `${where}: "${provider}" is not a provider${didYouMean(provider, [...PROVIDERS, ...Object.keys(ALSO)])}; ${known}`,
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
