// The types of a host: a definition is checked in full, so that a wrong one fails when it is loaded.

import * as v from "valibot";
import type { FactName } from "../facts/facts.ts";
import {
  callable,
  checkOptions,
  count,
  flag,
  list,
  oneOf,
  shape,
  table,
  text,
} from "../platform/check-options.ts";
import { errorText, SottoError } from "../platform/errors.ts";
import type { Content } from "../render/content.ts";
import { renderBlocks } from "../render/render.ts";
import { createTags } from "../render/tags.ts";
import {
  type Attachment,
  type AttachmentDefinition,
  checkData,
  defineAttachment,
  type StandardSchema,
} from "./attachment.ts";
import { type OnceDefinition, type StateDefinition, sendOnce, sendWhenChanged } from "./common-kinds.ts";

/**
 * Makes an attachment type. Checks the definition, and renders its examples once. Throws `invalid_attachment` with the
 * field that is wrong.
 */
export function defineCheckedAttachment<
  Data,
  const Needs extends FactName = never,
  Options = Record<never, never>,
>(definition: AttachmentDefinition<Data, Needs, Options>): Attachment {
  checkDefinition(definition);
  return defineAttachment(definition);
}

/** Defines an attachment that reports each thing that happened once. Checked like those of `defineAttachment`. */
export function sendOnceChecked<
  Data,
  Item extends { readonly id: string } | { readonly covers: readonly string[] },
  const Needs extends FactName = never,
  Options = Record<never, never>,
>(definition: OnceDefinition<Data, Needs, Options, Item>): Attachment {
  checkFields(definition, onceSchema);
  const attachment = sendOnce(definition);
  checkExamples(attachment);
  return attachment;
}

/**
 * Defines an attachment that is sent when the state differs from what was last sent and is still in view. Checked like
 * those of `defineAttachment`.
 */
export function sendWhenChangedChecked<
  Data,
  const Needs extends FactName = never,
  Options = Record<never, never>,
>(definition: StateDefinition<Data, Needs, Options>): Attachment {
  checkFields(definition, stateSchema);
  const attachment = sendWhenChanged(definition);
  checkExamples(attachment);
  return attachment;
}

/** Throws at the first thing that is wrong. A test calls it with every built-in type. */
export function checkDefinition(definition: unknown): void {
  checkFields(definition, definitionSchema);
  checkExamples(definition as Attachment);
}

function checkFields(definition: unknown, schema: v.GenericSchema): void {
  const { type } = (definition ?? {}) as { type?: unknown };
  const name = typeof type === "string" ? `attachment "${type.slice(0, 100)}"` : "attachment";
  checkOptions(name, schema, definition, "invalid_attachment");
}

/** The examples fit the schema, and render to content. */
function checkExamples(attachment: Attachment): void {
  const { type, schema, examples, wrap, readMoreAt } = attachment;
  const wrong = (field: string, problem: string, cause?: unknown) =>
    new SottoError("invalid_attachment", `attachment "${type}": ${field}: ${problem}`, cause);
  const options = attachment.options === undefined ? {} : attempt("options", attachment.options, {});
  const context = { options, tools: { tool: (tool: string) => tool } };
  for (const { title, data } of examples) {
    const checked = attempt(`example "${title}"`, schema, data);
    try {
      const content: unknown = attachment.render(checked, context);
      if (content instanceof Promise) content.catch(() => undefined);
      renderBlocks(content as Content, {
        tags: createTags({}),
        wrapper: wrap === "own-tags" ? undefined : "system-reminder",
      });
      readMoreAt?.(checked, context);
    } catch (error) {
      throw wrong(`example "${title}"`, `it does not render: ${errorText(error)}`, error);
    }
  }

  function attempt(field: string, given: StandardSchema, value: unknown): unknown {
    let checked: ReturnType<typeof checkData>;
    try {
      checked = checkData(given, value);
    } catch (error) {
      throw wrong(field, errorText(error), error);
    }
    if (!("problem" in checked)) return checked.data;
    const what =
      field === "options" ? "every option needs a default, so that {} fits" : "it does not fit its schema";
    throw wrong(field, `${what}: ${checked.problem}`);
  }
}

const NAME = /^[a-z][a-z0-9_]{0,99}$/u;
const snakeCase = shape(
  "a name in snake_case",
  (value) => typeof value === "string" && NAME.test(value) && !(value in {}),
);
// A host's source may bring a fact of any name.
const factName = shape(
  "the name of a fact",
  (value) => typeof value === "string" && /^[A-Za-z]\w{0,99}$/u.test(value) && !(value in {}),
);
const schema = shape(
  "a Standard Schema (zod, valibot, ArkType, …)",
  (value) =>
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as Partial<StandardSchema>)["~standard"]?.validate === "function",
);
const distinct = (item: v.GenericSchema, expected: string) =>
  v.pipe(
    list(item, expected),
    v.check((given) => new Set(given).size === given.length, `expected ${expected}, each once`),
  );
const facts = callable("a function of the facts");

const throttle = table(
  {
    minTurnsBetween: v.optional(count),
    betweenOption: v.optional(text()),
    minTurnsAfterTrigger: v.optional(count),
    maxPerSession: v.optional(count),
    backsOff: v.optional(flag),
    since: v.optional(facts),
    heeded: v.optional(facts),
    sinceWhat: v.optional(text()),
  },
  "a rule such as { minTurnsBetween: 5 }",
);

const example = table(
  { title: text("a title"), data: v.optional(v.unknown()) },
  "an example such as { title, data }",
);

const fields = {
  type: snakeCase,
  generator: v.optional(snakeCase),
  aliases: v.optional(distinct(snakeCase, "a list of names in snake_case")),
  sentAs: v.optional(snakeCase),
  summary: text("a sentence that says what it is"),
  when: text("when it is sent, in words"),
  tier: oneOf(["event", "user_prompt", "core", "main_agent"]),
  needs: distinct(factName, 'a list of facts such as ["todos"]'),
  schema,
  options: v.optional(schema),
  defaultEnabled: v.optional(flag),
  repeat: v.optional(oneOf(["never", "always", "changed"])),
  throttle: v.optional(throttle),
  requiresTool: v.optional(
    table(
      { name: text("a tool's name"), for: text("what the tool is for"), unless: v.optional(facts) },
      'an object such as { name: "TodoWrite", for: "todo lists" }',
    ),
  ),
  budget: v.optional(oneOf(["turn", "prompt", "memory", "context"])),
  whenTooLong: v.optional(oneOf(["send", "split"])),
  conversation: v.optional(shape("true", (value) => value === true)),
  wrap: v.optional(oneOf(["system-reminder", "own-tags"])),
  content: v.optional(oneOf(["trusted", "untrusted"])),
  trustedFields: v.optional(distinct(text(), "a list of fields of its data")),
  trigger: callable("a function (facts, sent, options) => due"),
  render: callable("a function (data, context) => content"),
  readMoreAt: v.optional(callable("a function (data, context) => path")),
  examples: v.pipe(
    list(example, "a list of examples"),
    v.check((given) => given.length > 0, "expected at least one example"),
  ),
} satisfies Record<keyof AttachmentDefinition<unknown, FactName, unknown>, v.GenericSchema>;

const definitionSchema = table(fields, "a definition such as { type, summary, … }");

const { trigger: _, ...untriggered } = fields;
const EXPECTED = "a definition such as { type, summary, … }";
const given = callable("a function");
const onceSchema = v.pipe(
  table(
    {
      ...untriggered,
      pending: callable("a function (facts, sent, options) => items"),
      each: v.optional(given),
      together: v.optional(given),
      keyOf: v.optional(given),
      none: shape(
        "a reason, or a function of the facts",
        (value) => typeof value === "string" || typeof value === "function",
      ),
      leftOut: v.optional(given),
    },
    EXPECTED,
  ),
  v.check((value) => {
    const { each, together } = value as { each?: unknown; together?: unknown };
    return each !== undefined || together !== undefined;
  }, "each: missing, expected `each` or `together`"),
);
const stateSchema = table(
  {
    ...untriggered,
    state: callable("a function (facts, sent, options) => state"),
    note: v.optional(given),
  },
  EXPECTED,
);
