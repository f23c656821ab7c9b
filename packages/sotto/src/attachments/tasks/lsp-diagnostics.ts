// New diagnostics of language servers: what they published that was not there before.

import { defineAttachment } from "../../core/attachment.ts";
import {
  diagnosticsOptions,
  diagnosticsSchema,
  diagnosticsText,
  newDiagnostics,
} from "../../core/diagnostics-news.ts";

export const lspDiagnostics = defineAttachment({
  type: "lsp_diagnostics",
  yields: "diagnostics",
  summary: "New diagnostic issues that a language server found.",
  tier: "main_agent",
  when: "a language server published diagnostics that were not there before and are still there",
  needs: ["diagnostics"],
  schema: diagnosticsSchema,
  options: diagnosticsOptions,
  oneShot: true,
  carries: "untrusted",
  trigger: ({ diagnostics: { pending } }, _said, options) =>
    newDiagnostics(
      pending.filter(({ origin }) => origin === "lsp"),
      options,
    ),
  render: diagnosticsText,
  rest: () => "run the checker again for the rest",
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
