// `sotto catalog`: lists every reminder type, as a table, a document or JSON.

import { catalogue } from "sotto/inspect";
import type { ExitCode } from "sotto-agent/terminal";
import { createStyle, lineWidth } from "sotto-agent/terminal";
import { catalogEntry, catalogPage, TIERS } from "../output/catalog-page.ts";
import { table } from "../output/table.ts";
import { write, writeJson } from "../output/write.ts";
import { type Define, examples, json } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Lists every reminder type: which agents get it, when and how often it is sent, and how to turn it on or off.",
    )
    .addOption(json().conflicts("markdown"))
    .option("--markdown", "print a Markdown document with example texts")
    .addHelpText("after", examples("sotto catalog", "sotto catalog --json | jq -r '.[].type'"))
    .action(action(catalog));

async function catalog({ json, markdown }: { json?: boolean; markdown?: boolean }): Promise<ExitCode> {
  if (json) await writeJson(catalogue.map(catalogEntry));
  else await write(markdown ? catalogPage() : toText());
  return 0;
}

function toText(): string {
  const style = createStyle();
  const groups = [...Map.groupBy(catalogue, ({ tier }) => tier)].map(([tier, attachments]) => [
    [style.bold(TIERS[tier])],
    ...attachments.map(({ type, when, defaultEnabled = true }) => [
      `  ${style.accent(type)}`,
      defaultEnabled ? style.good("on") : style.dim("off"),
      when,
    ]),
  ]);
  const heading = ["  type", "default", "when"].map((name) => style.dim(name));
  const how = `Turn one off in sotto.toml: [system_reminder.attachments] ${catalogue[0]?.type} = false. More: --markdown, --json.`;
  return `${table([heading, ...groups.flat()], { width: lineWidth() })}\n\n${style.dim(how)}\n`;
}
