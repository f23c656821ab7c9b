import { describe, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { file } from "./file.ts";

describe("file, as the model reads it", () => {
  it("AC-2 in every variant", () => {
    expect(examplesAsRead(file)).toMatchInlineSnapshot(`
      "# a text
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/src/a.ts"}

      Result of calling the Read tool:      1	export const a = 1;
           2	export const b = 2;
      </system-reminder>

      # some lines of it
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/src/a.ts","offset":2,"limit":1}

      Result of calling the Read tool:      2	export const b = 2;
      </system-reminder>

      # a text that is too long
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/big.log"}

      Result of calling the Read tool:      1	first
           2	second
      (cut after line 2 of 9000; use Read from line 3 on for the rest)
      </system-reminder>

      # a line that is too long
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/app.min.js"}

      Result of calling the Read tool:      1	!function(){
      (cut within line 1 of 2: line 1 is longer than what is shown; use Read from line 2 on for what follows it)
      </system-reminder>

      # lines that are not there
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/src/a.ts","offset":90,"limit":6}

      Result of calling the Read tool: there is no line 90: the file has 2 lines
      </system-reminder>

      # an empty file
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/empty.txt"}

      Result of calling the Read tool: the file is empty
      </system-reminder>

      # an image
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/screen.png"}

      Result of calling the Read tool: an image
      </system-reminder>
      [image/png]

      # a notebook
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/plot.ipynb"}

      Result of calling the Read tool: Cell 1 (markdown):
      # Plot

      Cell 2 (code):
      1 + 1
      Output:
      2
      </system-reminder>

      # a PDF
      <system-reminder>
      Called the Read tool with the following input: {"file_path":"/repo/paper.pdf"}

      Result of calling the Read tool: Page 1 of 30:
      Abstract
      (cut after page 1 of 30; use Read for the rest)
      </system-reminder>"
    `);
  });
});
