import { describe } from "vitest";
import { integrationCases } from "../support/integration-cases.ts";
import { integrationWorldCases } from "../support/integration-world-cases.ts";
import { anthropicTalk } from "../support/sdk-talks/anthropic-talk.ts";

describe.each([anthropicTalk])("sotto/anthropic: $name", (kind) => {
  integrationCases(kind);
  integrationWorldCases(kind);
});
