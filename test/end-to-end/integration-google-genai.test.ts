import { describe } from "vitest";
import { integrationCases } from "../support/integration-cases.ts";
import { integrationWorldCases } from "../support/integration-world-cases.ts";
import { googleTalk } from "../support/sdk-talks/google-genai-talk.ts";

describe.each([googleTalk])("sotto/google-genai: $name", (kind) => {
  integrationCases(kind);
  integrationWorldCases(kind);
});
