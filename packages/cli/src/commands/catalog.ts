// `sotto catalog`: every type of reminder, for people, documents and programs.

import { catalogue } from "sotto/inspect";
import type { ExitCode } from "sotto-agent/terminal";
import { createStyle, lineWidth } from "sotto-agent/terminal";
import { catalogEntry, catalogPage, TIERS } from "../output/catalog-page.ts";
import { table } from "../output/table.ts";
import { write, writeJson } from "../output/write.ts";

export async function catalog({ json, markdown }: { json?: boolean; markdown?: boolean }): Promise<ExitCode> {
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
  const how = `Switch one in config: [system_reminder.attachments] ${catalogue[0]?.type} = false. More: --markdown, --json.`;
  return `${table([heading, ...groups.flat()], { width: lineWidth() })}\n\n${style.dim(how)}\n`;
}
