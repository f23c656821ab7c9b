// Files to be mentioned in a directory of their own, loaded with a real reader and real workers.

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Job } from "../../packages/sotto/src/platform/platform.ts";
import { createWorkerPool } from "../../packages/sotto/src/platform/worker-pool.ts";
import { createPermissions } from "../../packages/sotto/src/sources/files/permissions.ts";
import { createReader } from "../../packages/sotto/src/sources/files/reader.ts";
import { type LoadOptions, loadFile } from "../../packages/sotto/src/sources/mentions/load.ts";
import type { MentionedFile } from "../../packages/sotto/src/sources/mentions/resolve.ts";

/** For tests of what comes out: a busy machine gets the time it needs. */
export const PATIENT = { imageMs: 20_000, pdfMs: 20_000, notebookMs: 20_000 };

export function openMentionedFiles() {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-mentions-")));
  const pool = createWorkerPool({ hash: (text) => text });
  const permissions = createPermissions({ cwd: directory, home: "/home/someone", denyRead: ["denied*"] });
  const reader = createReader({ permissions });
  const at = (name: string) => join(directory, name);
  return {
    directory,
    reader,
    pool,
    at,
    put(name: string, content: string | Uint8Array) {
      writeFileSync(at(name), content);
      return at(name);
    },
    stat(name: string) {
      const { size, mtimeMs, ctimeMs, ino, dev } = statSync(at(name));
      return { size, mtimeMs, ctimeMs, ino, dev };
    },
    load(name: string, options: Partial<LoadOptions> & { lines?: Omit<MentionedFile, "path"> } = {}) {
      const { lines, ...rest } = options;
      return loadFile({ path: at(name), ...lines }, { reader, work: pool.run, limits: PATIENT, ...rest });
    },
    /** Runs jobs where no package is installed. */
    workAlone: (job: Job) => pool.run({ ...job, module: aloneIn(at("alone"), job.module) }),
    async close() {
      await pool.close();
      rmSync(directory, { recursive: true });
    },
  };
}

function aloneIn(directory: string, module: string): string {
  const library = dirname(dirname(dirname(fileURLToPath(module))));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  cpSync(library, directory, { recursive: true });
  return new URL(`file://${join(directory, "sources/mentions", basename(module))}`).href;
}

/** A page for each text. */
export function pdfOf(pages: readonly string[], trailer = ""): string {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      pageStream(text),
    ]),
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  return `${file}xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}trailer\n<< /Size ${size} /Root 1 0 R ${trailer}>>\nstartxref\n${file.length}\n%%EOF\n`;
}

function pageStream(text: string): string {
  const lines = text.split("\n").map((line) => `(${line}) Tj 0 -14 Td`);
  const stream = `BT /F1 12 Tf 72 720 Td ${lines.join(" ")} ET`;
  return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
}
