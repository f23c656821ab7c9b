// New diagnostics of language servers: what they published that was not there before.

import type { Facts } from "../../facts/facts.ts";
import { defineAttachment } from "../attachment.ts";
import {
  diagnosticsSchema,
  diagnosticsText,
  hiddenFiles,
  lspOptions,
  newDiagnostics,
} from "../shared/diagnostics-text.ts";

export const lspDiagnostics = defineAttachment({
  type: "lsp_diagnostics",
  sentAs: "diagnostics",
  summary: "New diagnostic issues that a language server found.",
  tier: "main_agent",
  when: "a language server published diagnostics that were not there before and are still there",
  needs: ["diagnostics", "diagnosticsAccess", "languageServers"],
  schema: diagnosticsSchema,
  options: lspOptions,
  repeat: "never",
  trigger: ({ diagnostics: { pending }, diagnosticsAccess, languageServers }, _said, options) =>
    newDiagnostics(
      pending.filter(({ origin }) => origin === "lsp"),
      options,
      [...hiddenFiles(diagnosticsAccess), ...troubles(languageServers)],
    ),
  render: diagnosticsText,
  readMoreAt: () => "the language server has the rest",
  examples: [
    {
      title: "one file",
      data: {
        files: [
          {
            filePath: "/repo/src/a.ts",
            diagnostics: [{ message: "';' expected.", severity: "Error", line: 1, source: "ts", code: 1005 }],
          },
        ],
        isNew: true,
      },
    },
  ],
});

/** Servers that do not answer, for the trace. */
function troubles(languageServers: Facts["languageServers"] | undefined): string[] {
  if (languageServers?.known !== true) return [];
  const wrong = languageServers.value.servers.filter(({ state }) => !["idle", "ready"].includes(state));
  return wrong.map(({ name, state, detail }) => `language server ${name} is ${state}: ${detail}`);
}
