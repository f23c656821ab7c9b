// Makes packages/sotto/config.schema.json and docs/config.md from the schema and the catalogue; --check only compares.

import { configPage } from "./config-page.ts";
import { configJsonSchema } from "./config-schema.ts";
import { makeFiles } from "./make-files.ts";

const schema = configJsonSchema();
makeFiles(
  {
    "packages/sotto/config.schema.json": `${JSON.stringify(schema, null, 2)}\n`,
    "docs/config.md": configPage(schema),
  },
  "the schema",
);
