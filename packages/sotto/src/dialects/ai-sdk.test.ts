import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { aiSdkBody, checkAiSdk } from "../../../../test/support/ai-sdk-history.ts";
import { hasDialectProperties } from "../../../../test/support/dialect-properties.ts";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { type AiSdkBody, aiSdk } from "./ai-sdk.ts";

const { read, legal, end, insert } = aiSdk;
const of = (...messages: ModelMessage[]): AiSdkBody => frozen({ messages });
const called: ModelMessage = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "1", toolName: "look", input: {} }],
};
const answered: ModelMessage = {
  role: "tool",
  content: [
    { type: "tool-result", toolCallId: "1", toolName: "look", output: { type: "text", value: "seen" } },
  ],
};

describe("properties", () => {
  hasDialectProperties<AiSdkBody>({
    dialect: aiSdk,
    write: aiSdkBody,
    check: checkAiSdk,
    breakpoint: { field: "providerOptions", value: { anthropic: { cacheControl: { type: "ephemeral" } } } },
  });
});

test("results stay right behind their calls", () => {
  const body = of({ role: "user", content: "go" }, called, answered);
  expect(legal(body, { message: 2, index: 0 })).toEqual({ message: 3, index: 0 });
  expect(end(body)).toEqual({ message: 3, index: 0 });
});

test("an image is a file part that every provider of the SDK takes", () => {
  const body = insert(
    of({ role: "user", content: "go" }),
    [{ at: { message: 1, index: 0 }, blocks: [[{ type: "image", mediaType: "image/png", data: "AAAA" }]] }],
    [],
  );
  expect(body.messages[1]).toEqual({
    role: "user",
    content: [{ type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } }],
  });
});

test("bytes are told apart, options are not", () => {
  const image = (bytes: Uint8Array, cached: boolean): ModelMessage => ({
    role: "user",
    content: [
      {
        type: "image",
        image: bytes,
        ...(cached ? { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } : {}),
      },
    ],
  });
  const identity = (message: ModelMessage) => read(message, 0)[0]?.identity;
  const plain = identity(image(new Uint8Array([1, 2, 3]), false));
  expect(identity(image(new Uint8Array([1, 2, 3]), true))).toBe(plain);
  expect(identity(image(new Uint8Array([1, 2, 4]), false))).not.toBe(plain);
});

test("a picture or a file is the same however the SDK writes it", () => {
  const identity = (part: object) =>
    read({ role: "user", content: [part] } as unknown as ModelMessage, 0)[0]?.identity;
  const url = "https://pictures.test/a.png";
  const ways = (data: unknown, tagged: object) => [
    { type: "image", image: data },
    { type: "file", mediaType: "image/png", data },
    { type: "file", mediaType: "image/png", data: tagged, providerOptions: undefined },
  ];
  for (const written of [
    [...ways("AAAA", { type: "data", data: "AAAA" }), ...ways("data:image/png;base64,AAAA", {})].slice(0, 5),
    ways(new Uint8Array([1, 2]), { type: "data", data: new Uint8Array([1, 2]) }),
    [...ways(new URL(url), { type: "url", url: new URL(url) }), ...ways(url, { type: "url", url })],
    ways({ acme: "file-1" }, { type: "reference", reference: { acme: "file-1" } }),
  ])
    expect(new Set(written.map(identity)).size).toBe(1);
  const pdf = (mediaType: string) => identity({ type: "file", mediaType, data: "AAAA" });
  expect(pdf("application/pdf")).not.toBe(pdf("text/plain"));
});
