// New diagnostics: what the host's checker found that was not there before.

import { defineAttachment } from "../attachment.ts";
import {
  diagnosticsOptions,
  diagnosticsSchema,
  diagnosticsText,
  hiddenFiles,
  newDiagnostics,
} from "../shared/diagnostics-text.ts";

export const diagnostics = defineAttachment({
  type: "diagnostics",
  summary: "New diagnostic issues in files.",
  tier: "main_agent",
  when: "diagnostics were published that were not there before and are still there",
  needs: ["diagnostics", "diagnosticsAccess"],
  schema: diagnosticsSchema,
  options: diagnosticsOptions,
  repeat: "never",
  trigger: ({ diagnostics: { pending }, diagnosticsAccess }, _said, options) =>
    newDiagnostics(
      pending.filter(({ origin }) => origin === "host"),
      options,
      hiddenFiles(diagnosticsAccess),
    ),
  render: diagnosticsText,
  readMoreAt: () => "the checker has the rest",
  examples: [
    {
      title: "one file",
      data: {
        files: [
          {
            filePath: "/repo/src/a.ts",
            diagnostics: [
              { message: "Cannot find name 'x'.", severity: "Error", line: 12, source: "ts", code: 2304 },
              {
                message: "'y' is declared but never read.",
                severity: "Hint",
                line: 30,
                source: "ts",
                code: 6133,
              },
            ],
          },
        ],
        isNew: true,
      },
    },
    {
      title: "two files, more than are listed",
      data: {
        files: [
          {
            filePath: "/repo/src/a.ts",
            diagnostics: [{ message: "';' expected.", severity: "Error", line: 1 }],
          },
          {
            filePath: "/repo/src/b.ts",
            diagnostics: [{ message: "Unused import.", severity: "Warning", line: 2 }],
          },
        ],
        isNew: true,
        more: 9998,
        later: 40,
      },
    },
  ],
});
