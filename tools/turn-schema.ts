// Makes packages/cli/turn.schema.json, the JSON contract of `sotto turn` and `sotto serve`; --check only compares.

import type { JsonSchema } from "@valibot/to-json-schema";
import { TURN_FIELDS } from "../packages/cli/src/commands/turn.ts";
import { makeFiles } from "./make-files.ts";
import { serveDefinitions } from "./serve-schema.ts";
import {
  list,
  type Properties,
  record,
  ref,
  requestProperties,
  sessionProperties,
  turnDefinitions,
  turnProperties,
  userPrompt,
} from "./turn-schema-parts.ts";

const input: Properties = {
  ...sessionProperties,
  ...requestProperties,
  userPrompt,
  events: list(ref("event"), "What happened since the turn before, in order; all are checked first."),
};
if (Object.keys(input).sort().join() !== [...TURN_FIELDS].sort().join())
  throw new Error(`sotto turn takes ${TURN_FIELDS}, turn-schema.ts says ${Object.keys(input)}`);

const schema: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title:
    "Sotto: what `sotto turn` reads (this schema) and writes (turnOutput), and the messages of `sotto serve`",
  allOf: [ref("turnInput")],
  definitions: {
    turnInput: record(input, []),
    turnOutput: record(
      { ...turnProperties, problems: list(ref("problem"), "Config files that could not be taken.") },
      Object.keys(turnProperties),
    ),
    turnFailure: record({ error: record({ code: { type: "string" }, message: { type: "string" } }) }),
    ...turnDefinitions(),
    ...serveDefinitions(),
  } as NonNullable<JsonSchema["definitions"]>,
};

makeFiles({ "packages/cli/turn.schema.json": `${JSON.stringify(schema, null, 2)}\n` }, "the code");
