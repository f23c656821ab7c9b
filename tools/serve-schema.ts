// The JSON Schemas of `sotto serve`: what every method takes and gives, and the messages round it.

import type { JsonSchema } from "@valibot/to-json-schema";
import { METHOD_FIELDS, METHOD_NAMES, type MethodName } from "../packages/cli/src/serve/protocol.ts";
import {
  list,
  type Properties,
  record,
  ref,
  requestProperties,
  sessionProperties,
  text,
  turnProperties,
  userPrompt,
} from "./turn-schema-parts.ts";

const session = text("The session, as session/open named it.");
const turn = text("The turn, as turn named it.");
const id = text("A name for it; a new one unless given.");
const flag: JsonSchema = { type: "boolean" };
const whole: JsonSchema = { type: "integer", minimum: 0 };
const nothing = record({});
const opened = record({
  session,
  problems: list(ref("problem"), "Config files that could not be taken."),
  damaged: list(
    record({ seq: whole, problem: { type: "string" } }),
    "Entries of the log that cannot be read.",
  ),
});

interface Described {
  params: Properties;
  required?: readonly string[];
  result: JsonSchema;
}

const methods: Record<MethodName, Described> = {
  initialize: {
    params: { protocol: { const: 1, description: "The protocol the host speaks." } },
    result: record({
      name: { const: "sotto" },
      version: { type: "string" },
      protocol: { const: 1 },
      limits: record({ lineBytes: whole, turnsPerSession: whole }),
      methods: list({ type: "string" }, "All of them."),
      notifications: list({ type: "string" }, "Methods that may come without an id."),
      dialects: list({ type: "string" }, "Of requests."),
      profiles: list({ type: "string" }, "Agents that are known."),
      events: list({ type: "string" }, "Types that can be recorded."),
    }),
  },
  "session/open": {
    params: {
      ...sessionProperties,
      id: text("Its name: the same id and store again go on with it. A new name unless given."),
      store: text(
        "A path, sqlite:PATH, postgres://… or memory:. With an id the user's own store unless given, else memory.",
      ),
      defaults: ref("config"),
      readConfig: {
        ...flag,
        description: "Whether config files and the environment count; they do unless false.",
      },
      mailbox: record({ team: { type: "string" }, agent: { type: "string" } }),
    },
    result: opened,
  },
  "session/record": {
    params: { session, event: ref("event"), events: list(ref("event"), "In order; all are checked first.") },
    required: ["session"],
    result: record({ recorded: whole }),
  },
  turn: {
    params: { session, ...requestProperties, userPrompt },
    required: ["session"],
    result: record(
      {
        turn,
        number: { ...whole, description: "0 where the turn could not do its work; the same for a retry." },
        ...turnProperties,
        problems: list(ref("problem"), "Config files that could not be taken."),
        problem: text("What kept the turn from doing its work; the request is then as it was given."),
      },
      ["turn", "number", ...Object.keys(turnProperties), "problems"],
    ),
  },
  "turn/commit": {
    params: {
      turn,
      answerId: text("The id under which the provider keeps the answer, such as that of an OpenAI response."),
    },
    required: ["turn"],
    result: record({ committed: flag }),
  },
  "turn/abandon": { params: { turn }, required: ["turn"], result: record({ abandoned: flag }) },
  "session/beforeWrite": {
    params: { session, path: text("The file that is about to be written.") },
    required: ["session", "path"],
    result: record({
      unsaid: list({ type: "object" }, "What instruction files say about it that the model has not heard."),
      silent: list(
        record({ path: { type: "string" }, reason: { type: "string" } }),
        "What does not come, and why.",
      ),
    }),
  },
  "session/allows": {
    params: {
      session,
      toolName: text("As the model calls it."),
      input: { description: "What it is called with." },
    },
    required: ["session", "toolName"],
    result: record({ allowed: flag, reason: { type: "string" } }),
  },
  "session/mode": {
    params: { session },
    required: ["session"],
    result: record({ mode: { type: "string" }, planFile: { type: "string" } }, ["mode"]),
  },
  "session/todos": {
    params: { session },
    required: ["session"],
    result: record({ items: list({ type: "object" }, "As todos_written had them.") }),
  },
  "session/withoutReminders": {
    params: { session, ...requestProperties },
    required: ["session"],
    result: record({ request: { type: "object", description: "As a summariser should see it." } }),
  },
  "session/reset": { params: { session }, required: ["session"], result: nothing },
  "session/subagent": {
    params: { session, agentType: { type: "string" }, definition: ref("definition"), id },
    required: ["session", "agentType"],
    result: opened,
  },
  "session/fork": {
    params: {
      session,
      id,
      turn: { ...whole, description: "From the end of this turn; from here unless given." },
    },
    required: ["session"],
    result: opened,
  },
  "session/close": { params: { session }, required: ["session"], result: nothing },
  shutdown: { params: {}, result: nothing },
};

const rpcId: JsonSchema = { type: ["string", "number", "null"] } as JsonSchema;
const version: JsonSchema = { const: "2.0" };

export function serveDefinitions(): Record<string, JsonSchema> {
  const params = METHOD_NAMES.map((name): [string, JsonSchema] => [name, paramsOf(name)]);
  const results = METHOD_NAMES.map((name): [string, JsonSchema] => [name, methods[name].result]);
  return {
    serveParams: { type: "object", properties: Object.fromEntries(params), description: "By method." },
    serveResults: { type: "object", properties: Object.fromEntries(results), description: "By method." },
    serveRequest: { oneOf: METHOD_NAMES.map(requestOf), description: "A line to the server." },
    serveAnswer: {
      oneOf: [
        record({ jsonrpc: version, id: rpcId, result: { type: "object" } }),
        record({ jsonrpc: version, id: rpcId, error: ref("serveError") }),
        record({ jsonrpc: version, method: { const: "problem" }, params: ref("serveProblem") }),
      ],
      description: "A line from the server.",
    },
    serveError: record({
      code: { type: "integer" },
      message: { type: "string" },
      data: record(
        { code: { type: "string" }, unrecorded: list(whole, "Places of the events that were not recorded.") },
        ["code"],
      ),
    }),
    serveProblem: record(
      {
        method: { type: "string" },
        session: { type: "string" },
        code: { type: "string" },
        message: { type: "string" },
      },
      ["method", "code", "message"],
    ),
  };
}

/** The fields are those of the code: one without words here, or the other way round, is a mistake. */
function paramsOf(name: MethodName): JsonSchema {
  const { params, required = [] } = methods[name];
  const [said, taken] = [Object.keys(params).sort(), [...METHOD_FIELDS[name]].sort()];
  if (said.join() !== taken.join()) throw new Error(`${name} takes ${taken}, serve-schema.ts says ${said}`);
  return record(params, [...required]);
}

function requestOf(name: MethodName): JsonSchema {
  const params = { $ref: `#/definitions/serveParams/properties/${name.replace("/", "~1")}` };
  const { required = [] } = methods[name];
  return record({ jsonrpc: version, id: rpcId, method: { const: name }, params }, [
    "jsonrpc",
    "method",
    ...(required.length === 0 ? [] : ["params"]),
  ]);
}
