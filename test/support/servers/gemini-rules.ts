// Refuses what the Gemini API refuses, in words close to its own.
import { geminiModel } from "./gemini-model.ts";
import { geminiRequest, partData } from "./gemini-shape.ts";
import {
  type Content,
  endViolations,
  type Part,
  signatureViolations,
  turnViolations,
} from "./gemini-turns.ts";
import { geminiWords } from "./gemini-words.ts";
import { isObject, problemsOf } from "./shape.ts";

/**
 * `geminiModel`: whose rules hold, the ones of the model in the address unless told otherwise.
 * `geminiRepeatedResponses` (default false): the answer of a call may come twice, word for word, as Gemini CLI sends it
 * when it goes on with a session.
 */
export type GeminiRules = { geminiModel?: string; geminiRepeatedResponses?: boolean };

type Schema = { type?: string; properties?: Record<string, Schema>; required?: string[]; items?: Schema };
type Declaration = { name: string; parameters?: Schema; parametersJsonSchema?: object };
type Request = {
  contents: Content[];
  tools?: { functionDeclarations?: Declaration[] }[];
  toolConfig?: { functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] } };
  generationConfig?: { thinkingConfig?: { thinkingBudget?: number; thinkingLevel?: string } };
};

export function checkGemini(body: unknown, rules: GeminiRules = {}): string[] {
  const problems = problemsOf(body, geminiRequest, geminiWords);
  // The rules below read a request of the right shape; the provider, too, stops here.
  if (problems.length > 0) return problems;
  const request = body as Request;
  const model = geminiModel(rules.geminiModel);
  const contents = rules.geminiRepeatedResponses ? withoutRepeated(request.contents) : request.contents;
  return [
    ...contents.flatMap(({ parts }, at) => parts.flatMap(partViolations(`contents[${at}]`))),
    ...turnViolations(contents),
    ...endViolations(contents, model),
    ...signatureViolations(contents, model),
    ...declarationViolations(request),
    ...choiceViolations(request),
    ...thinkingViolations(request),
  ];
}

function withoutRepeated(contents: Content[]): Content[] {
  return contents.map((content) => {
    const words = content.parts.map((part) => JSON.stringify(part));
    return {
      ...content,
      parts: content.parts.filter(
        (part, at) => !part.functionResponse || words.indexOf(words[at] ?? "") === at,
      ),
    };
  });
}

/** A part is one thing. A text may be empty where it only carries a signature. */
function partViolations(content: string) {
  return (part: Part, index: number): string[] => {
    const where = `${content}.parts[${index}]`;
    const data = Object.keys(part).filter((key) => Object.hasOwn(partData, key));
    const [first, second] = data;
    if (second !== undefined) {
      return [
        `Invalid value at '${where}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`,
      ];
    }
    const blank = first === "text" && part.text === "" && !part.thoughtSignature;
    return first === undefined || blank
      ? [
          `* GenerateContentRequest.${where}.data: required oneof field 'data' must have one initialized field`,
        ]
      : [];
  };
}

function declarationsOf({ tools = [] }: Request): Declaration[] {
  return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
}

function declarationViolations(request: Request): string[] {
  const declarations = declarationsOf(request);
  const names = declarations.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  return [
    ...(twice ? [`Duplicate function declaration found: ${twice}`] : []),
    ...declarations.flatMap(({ parameters, parametersJsonSchema }, at) => {
      const where = `* GenerateContentRequest.tools.function_declarations[${at}].parameters`;
      if (parameters && parametersJsonSchema) {
        return [`${where}: parameters and parameters_json_schema are mutually exclusive.`];
      }
      return parameters ? schemaViolations(parameters, where) : [];
    }),
  ];
}

function schemaViolations(schema: Schema, where: string): string[] {
  const { type, properties = {}, required = [], items } = schema;
  return [
    ...(type?.toLowerCase() === "array" && !items ? [`${where}.items: missing field.`] : []),
    ...required.flatMap((name, at) =>
      Object.hasOwn(properties, name) ? [] : [`${where}.required[${at}]: property is not defined`],
    ),
    ...(isObject(items) ? schemaViolations(items, `${where}.items`) : []),
    ...Object.entries(properties).flatMap(([name, property]) =>
      schemaViolations(property, `${where}.properties[${name}]`),
    ),
  ];
}

function choiceViolations(request: Request): string[] {
  const config = request.toolConfig?.functionCallingConfig;
  if (!config) return [];
  const names = declarationsOf(request).map(({ name }) => name);
  if (names.length === 0) return ["Function calling config is set without function_declarations."];
  const { mode = "AUTO", allowedFunctionNames: allowed = [] } = config;
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED") {
    return ["Please set allowed_function_names only when function calling mode is ANY."];
  }
  const unknown = allowed.find((name) => !names.includes(name));
  return unknown ? [`allowed_function_names has '${unknown}', which is not declared.`] : [];
}

function thinkingViolations({ generationConfig = {} }: Request): string[] {
  const { thinkingBudget, thinkingLevel } = generationConfig.thinkingConfig ?? {};
  return thinkingBudget !== undefined && thinkingLevel !== undefined
    ? ["You can only set only one of thinking budget and thinking level."]
    : [];
}
