// Makes packages/sotto/config.schema.json, docs/config.md and the names that editors complete, from the schema and the
// catalogue; --check only compares.

import { catalogue } from "../packages/sotto/src/attachments/catalogue.ts";
import { namesIn } from "../packages/sotto/src/config/schema.ts";
import { configPage } from "./config-page.ts";
import { configJsonSchema } from "./config-schema.ts";
import { makeFiles } from "./make-files.ts";

/** What switches something in `config.attachments`. */
function attachmentNames(): string {
  const names = namesIn(catalogue)
    .sort()
    .map((name) => `  | ${JSON.stringify(name)}`);
  return [
    "// Made by `npm run docs` from the catalogue.",
    "",
    "/** The built-in names in `config.attachments`: types, generators and aliases. */",
    "export type AttachmentName =",
    `${names.join("\n")};`,
    "",
  ].join("\n");
}

const schema = configJsonSchema();
makeFiles(
  {
    "packages/sotto/config.schema.json": `${JSON.stringify(schema, null, 2)}\n`,
    "docs/config.md": configPage(schema),
    "packages/sotto/src/config/attachment-names.ts": attachmentNames(),
  },
  "the schema",
);
