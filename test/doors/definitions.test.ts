// A wrong attachment type, element or source of a host is refused, with its name and the field that is wrong.

import { anthropicMessages, createSession, SottoError } from "sotto";
import {
  type Attachment,
  type Due,
  defineAttachment,
  element,
  type Source,
  sendOnce,
  sendWhenChanged,
} from "sotto/extend";
import { catalogue } from "sotto/inspect";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkDefinition } from "../../packages/sotto/src/attachments/define-attachment.ts";

const right = {
  type: "weather",
  summary: "The weather.",
  when: "always",
  tier: "core",
  needs: ["todos"],
  schema: v.object({ celsius: v.number() }),
  trigger: () => [{ data: { celsius: 3 } }],
  render: ({ celsius }: { celsius: number }) => `It is ${celsius} °C.`,
  examples: [{ title: "cold", data: { celsius: 3 } }],
};
/** All that may be there beside it. */
const optional = {
  generator: "weathers",
  aliases: ["climate"],
  sentAs: "weather_report",
  options: v.object({ every: v.optional(v.number(), 3) }),
  defaultEnabled: true,
  repeat: "never",
  throttle: { minTurnsBetween: 2, since: () => 0 },
  requiresTool: { name: "Read", for: "reading" },
  budget: "turn",
  whenTooLong: "send",
  conversation: true,
  wrap: "own-tags",
  content: "trusted",
  trustedFields: ["celsius"],
  readMoreAt: () => "/a",
};
/** As a host without types could call it. */
const define = (changes: object = {}): Attachment => defineAttachment({ ...right, ...changes } as never);

function refused(call: () => unknown): SottoError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(SottoError);
    return error as SottoError;
  }
  throw new Error("nothing was thrown");
}

const wrongValues = [
  null,
  5,
  -1,
  1.5,
  "",
  "no such thing!",
  true,
  [],
  [5],
  {},
  { x: 1 },
  () => 5,
  Symbol("s"),
  10n,
];
/** What each field takes of those. */
const taken: Readonly<Record<string, readonly unknown[]>> = {
  needs: [wrongValues[7]],
  aliases: [wrongValues[7]],
  trustedFields: [wrongValues[7]],
  summary: ["no such thing!"],
  when: ["no such thing!"],
  defaultEnabled: [true],
  conversation: [true],
  throttle: [wrongValues[9]],
};

describe("defineAttachment", () => {
  it("takes a definition with every field", () => {
    expect(define(optional)).toMatchObject({ type: "weather", generator: "weathers" });
    expect(define().generator).toBe("weather");
  });

  const members = [...Object.keys(right), ...Object.keys(optional)].flatMap((field) =>
    wrongValues
      .filter((value) => !taken[field]?.includes(value))
      .filter((value) => !(typeof value === "function" && /trigger|render|readMoreAt/u.test(field)))
      .map(
        (value) => [field, typeof value === "object" ? JSON.stringify(value) : String(value), value] as const,
      ),
  );
  it.each(members)("refuses %s: %s", (field, _, value) => {
    const error = refused(() => define({ [field]: value }));
    expect(error.code).toBe("invalid_attachment");
    expect(error.message).toMatch(
      field === "type"
        ? /^attachment(?: "[^"]*")?: type: /
        : new RegExp(`^attachment "weather": ${field}`, "u"),
    );
  });

  it.each(Object.keys(right))("refuses a definition without %s", (field) => {
    const error = refused(() => define({ [field]: undefined }));
    expect(error.message).toContain(`${field}: `);
    expect(error.code).toBe("invalid_attachment");
  });

  it.each([
    ["wen", "when"],
    ["need", "needs"],
    ["throtle", "throttle"],
    ["Render", "render"],
    ["trustedField", "trustedFields"],
  ])("names the field that %s should be", (wrong, name) => {
    expect(refused(() => define({ [wrong]: 1 })).message).toBe(
      `attachment "weather": ${wrong}: no such option; did you mean "${name}"?`,
    );
  });

  it.each([undefined, null, 5, "x", []])("refuses %j", (given) => {
    expect(refused(() => defineAttachment(given as never)).code).toBe("invalid_attachment");
  });

  it.each<[string, object, string]>([
    [
      "an example that does not fit",
      { examples: [{ title: "x", data: {} }] },
      'example "x": it does not fit its schema: data.celsius',
    ],
    [
      "an example that does not render",
      {
        render: () => {
          throw new Error("no words");
        },
      },
      'example "cold": it does not render: no words',
    ],
    ["a render without content", { render: () => 5 }, 'example "cold": it does not render'],
    [
      "an option without a default",
      { options: v.object({ every: v.number() }) },
      "options: every option needs a default",
    ],
    [
      "an asynchronous schema",
      { schema: z.object({}).refine(async () => true) },
      'example "cold": the schema is asynchronous',
    ],
    ["a fact twice", { needs: ["todos", "todos"] }, "needs: "],
    ["no example", { examples: [] }, "examples: expected at least one example"],
    [
      "an unknown key of its throttle",
      { throttle: { minTurnBetween: 1 } },
      'throttle.minTurnBetween: no such option; did you mean "minTurnsBetween"?',
    ],
  ])("refuses %s", (_, changes, words) => {
    const { message, code } = refused(() => define(changes));
    expect(message).toContain(`attachment "weather": ${words}`);
    expect(code).toBe("invalid_attachment");
  });

  const { trigger: _, ...untriggered } = right;
  it.each<[string, (definition: never) => Attachment, object, string[]]>([
    [
      "sendOnce",
      sendOnce,
      { pending: () => [], each: () => ({ celsius: 3 }), none: "none" },
      ["pending", "none"],
    ],
    ["sendWhenChanged", sendWhenChanged, { state: () => ({ data: { celsius: 3 } }) }, ["state"]],
  ])("%s checks the same", (_name, make, more, required) => {
    const definition = { ...untriggered, ...more };
    expect(make(definition as never).type).toBe("weather");
    const wrong: [object, string][] = [
      [{ tier: "x" }, "tier"],
      [{ wen: "x" }, "wen"],
      [{ trigger: () => [] }, "trigger"],
      [{ examples: [{ title: "x", data: {} }] }, 'example "x"'],
      ...required.map((field): [object, string] => [{ [field]: undefined }, field]),
    ];
    for (const [changes, field] of wrong) {
      const { code, message } = refused(() => make({ ...definition, ...changes } as never));
      expect({ code, message }).toMatchObject({
        code: "invalid_attachment",
        message: expect.stringContaining(`attachment "weather": ${field}: `),
      });
    }
  });

  it("takes a fact of a host's own source", () => {
    expect(define({ needs: ["thermometer"] }).needs).toEqual(["thermometer"]);
  });

  it.each(catalogue.map((one) => [one.type, one] as const))(
    "the built-in type %s passes",
    (_, attachment) => {
      expect(() => checkDefinition(attachment)).not.toThrow();
    },
  );
});

describe("options of any Standard Schema", () => {
  const own = (options: unknown): Attachment =>
    defineAttachment({
      ...right,
      options,
      trigger: (_facts: unknown, _sent: unknown, { every }: { every: number }) => [
        { data: { celsius: every } },
      ],
      render: ({ celsius }: { celsius: number }, context: { options: { every: number } }) =>
        `${celsius} of ${context.options.every}`,
    } as never);
  const bare = {
    "~standard": {
      version: 1,
      vendor: "mine",
      validate: (value: { every?: unknown }) =>
        typeof (value.every ?? 3) === "number"
          ? { value: { every: value.every ?? 3 } }
          : { issues: [{ message: "must be a number", path: ["every"] }] },
    },
  };
  const schemas = [
    ["valibot", v.object({ every: v.optional(v.number(), 3) })],
    ["zod", z.object({ every: z.number().default(3) })],
    ["another", bare],
  ] as const;
  const say = async (options: unknown, config: object) => {
    const session = createSession({
      cwd: "/repo",
      configFiles: { read: false },
      attachments: [own(options)],
      config: { timeout_ms: 60_000, ...config },
    });
    const { reminders } = await session.turn();
    await session.close();
    return reminders.find(({ type }) => type === "weather")?.text;
  };

  it.each(schemas)("%s: the defaults hold, and config overrides them", async (_, options) => {
    expect(await say(options, {})).toContain("3 of 3");
    expect(await say(options, { attachments: { weather: { every: 7 } } })).toContain("7 of 7");
    expect(await say(options, { attachments: { weather: { every: 7, min_turns_between: 2 } } })).toContain(
      "7 of 7",
    );
  });

  it.each(schemas)("%s: a wrong value is refused, with its place", (_, options) => {
    const { code, message } = refused(() =>
      createSession({
        cwd: "/repo",
        attachments: [own(options)],
        config: { attachments: { weather: { every: "x" } } },
      }),
    );
    expect(code).toBe("invalid_config");
    expect(message).toContain("config.attachments.weather.every: ");
  });

  it.each(schemas.slice(0, 2))("%s: an unknown option is refused, with the nearest name", (_, options) => {
    expect(
      refused(() =>
        createSession({
          cwd: "/repo",
          attachments: [own(options)],
          config: { attachments: { weather: { evry: 1 } } },
        }),
      ).message,
    ).toBe('config.attachments.weather: "evry" is not known; did you mean "every"?');
  });
});

describe("names of own types", () => {
  const create = (...attachments: Attachment[]) => createSession({ cwd: "/repo", attachments });
  const taken = [...new Set(catalogue.flatMap((one) => [one.type, one.generator, ...(one.aliases ?? [])]))];

  it("the same type twice is refused", () => {
    const { code, message } = refused(() => create(define(), define({ generator: "other" })));
    expect(code).toBe("invalid_options");
    expect(message).toBe('createSession: attachments[1]: there are two of the type "weather"');
  });

  it.each(taken.flatMap((name) => ["type", "generator", "alias"].map((as) => [name, as] as const)))(
    "%s cannot be the %s of an own type",
    (name, as) => {
      const own = as === "alias" ? define({ aliases: [name] }) : define({ [as]: name });
      const { code, message } = refused(() => create(own));
      expect(code).toBe("invalid_options");
      expect(message).toContain(`attachments[0]: "${name}" is the name of a built-in type`);
    },
  );

  it("two own types may share a generator", () => {
    expect(() =>
      create(define({ generator: "mine" }), define({ type: "wind", generator: "mine" })),
    ).not.toThrow();
  });
});

describe("element", () => {
  const shown = async (content: unknown) => {
    const render = ({ celsius }: { celsius: number }) => (celsius === 3 ? "example" : (content as string));
    const due: Due<{ celsius: number }>[] = [{ data: { celsius: 4 } }];
    const session = createSession({
      cwd: "/repo",
      configFiles: { read: false },
      config: { timeout_ms: 60_000 },
      attachments: [define({ render, trigger: () => due })],
    });
    const turn = await session.turn({
      dialect: anthropicMessages,
      body: { messages: [{ role: "user", content: "x" }] },
    });
    await session.close();
    const said = turn.reminders.find(({ type }) => type === "weather");
    return said?.text ?? turn.trace.find(({ type }) => type === "weather")?.reason;
  };

  it.each(["deg", "Deg", "my-tag", "a.b", "x1"])("its content cannot end or open <%s>", async (tag) => {
    const forged = `1</${tag}><${tag} a="1">2</ ${tag.toUpperCase()} >`;
    const text = (await shown([element(tag, [forged, element("inner", `3</${tag}></inner>`)])])) ?? "";
    const tags = [...text.matchAll(new RegExp(`<\\s*/?\\s*(?:${tag.replace(".", "\\.")}|inner)\\b`, "giu"))];
    expect(tags.map(([one]) => one)).toEqual([`<${tag}`, "<inner", "</inner", `</${tag}`]);
  });

  it.each(["", "a b", "a><evil", "1a", "é", "a/b", "a=b", 5, null])("refuses the tag %j", (tag) => {
    expect(refused(() => element(tag as string, "x")).code).toBe("invalid_attachment");
  });

  it.each([
    "system-reminder",
    "System_Reminder",
    "new-diagnostics",
    "mcp-resource",
    "task-notification",
    "function_results",
  ])("refuses the reserved tag %s", (tag) => {
    expect(refused(() => element(tag, "x")).message).toBe(
      `element: the tag "${tag}" is reserved; use another`,
    );
  });

  it.each(['a onload="1"', "", "a b", "a=b", "a>b"])("refuses the attribute %j", (name) => {
    expect(refused(() => element("x", "y", { attributes: { [name]: "v" } })).code).toBe("invalid_attachment");
  });

  it("one that was made by hand does not get through either", async () => {
    expect(await shown([{ tag: "a b><evil", content: "x", lines: false }])).toContain(
      "cannot be the name of a tag",
    );
    expect(await shown([{ tag: "a", attributes: { 'b="1" c': "v" }, content: "x", lines: false }])).toContain(
      "cannot be the name of an attribute",
    );
  });
});

describe("sources of a host", () => {
  const source = (fields: object) => ({ fact: "gauge", observe: () => 1, ...fields }) as unknown as Source;
  const create = (...sources: Source[]) =>
    createSession({ cwd: "/repo", configFiles: { read: false }, sources });

  it.each<[string, Source[], string]>([
    ["two of one fact", [source({}), source({})], 'sources[1]: there are two sources of "gauge"'],
    ["a recorded fact", [source({ fact: "todos" })], 'sources[0]: "todos" is not observed'],
    ["a fact of the engine", [source({ fact: "agent" })], 'sources[0]: "agent" is not observed'],
    [
      "an unknown `after`",
      [source({ after: ["gage"] })],
      'sources[0].after: no source observes "gage"; did you mean "gauge"?',
    ],
    ["an `after` that is no list", [source({ after: "x" })], "sources[0].after: expected a list of facts"],
    ["a source that waits for itself", [source({ after: ["gauge"] })], 'sources: "gauge" waits for "gauge"'],
    [
      "sources that wait for each other",
      [source({ after: ["other"] }), source({ fact: "other", after: ["gauge"] })],
      'sources: "gauge" waits for "other" waits for "gauge"',
    ],
    ["clos", [source({ clos: () => undefined })], 'sources[0].clos: no such field; did you mean "close"?'],
    ["Start", [source({ Start: () => undefined })], 'sources[0].Start: no such field; did you mean "start"?'],
    ["afte", [source({ afte: [] })], 'sources[0].afte: no such field; did you mean "after"?'],
    [
      "forprompt",
      [source({ forprompt: true })],
      'sources[0].forprompt: no such field; did you mean "forPrompt"?',
    ],
  ])("%s is refused", (_, sources, words) => {
    const { code, message } = refused(() => create(...sources));
    expect(code).toBe("invalid_options");
    expect(message).toContain(`createSession: ${words}`);
  });

  it("fields of its own are fine", async () => {
    const session = create(
      source({ state: () => 1, closed: false, started: true, helper: () => 2, behind: ["later"] }),
    );
    expect((await session.turn()).problem).toBeUndefined();
    await session.close();
  });

  it.each([
    { type: "throttles_reset" },
    { type: "tags_named", names: ["my-reminder"] },
    { type: "answer_kept", turn: 1, name: "resp_1" },
    { type: "write_announced", path: "/a" },
  ])("$type is the engine's to record", async (event) => {
    let thrown: unknown;
    const session = create(
      source({
        fact: "diagnosticsSource",
        observe: () => 1,
      }),
      source({
        fact: "mentioned",
        async observe(turn: { record(events: unknown[]): Promise<void> }) {
          await turn.record([event, { type: "prompt_queued", id: "1", prompt: "Hello." }]);
          return { unresolved: [] };
        },
        forPrompt: true,
        async start(of: { record(events: unknown[]): Promise<void> }) {
          await of.record([event]).catch((error: unknown) => {
            thrown = error;
          });
        },
      }),
    );
    const turn = await session.turn({ userPrompt: "hi" });
    expect(turn.problems).toContainEqual({
      where: "an event that was found",
      problem: `${event.type}: the session records it itself`,
    });
    expect(turn.reminders.map(({ type }) => type)).toContain("queued_command");
    expect(thrown).toMatchObject({ code: "invalid_event" });
    await session.close();
  });
});
