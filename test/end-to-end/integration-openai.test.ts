import { describe } from "vitest";
import { integrationCases } from "../support/integration-cases.ts";
import { integrationWorldCases } from "../support/integration-world-cases.ts";
import { openaiChatTalk, openaiResponsesTalk } from "../support/sdk-talks/openai-talks.ts";

describe.each([openaiChatTalk, openaiResponsesTalk])("sotto/openai: $name", (kind) => {
  integrationCases(kind);
  integrationWorldCases(kind);
});
