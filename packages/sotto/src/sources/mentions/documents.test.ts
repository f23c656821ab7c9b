import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMentionedFiles, PATIENT, pdfOf } from "../../../../../test/support/mentioned-files.ts";
import { readPdf } from "./pdf-jobs.ts";

let files: ReturnType<typeof openMentionedFiles>;
beforeAll(() => {
  files = openMentionedFiles();
});
afterAll(() => files.close());

const pages = (count: number) => Array.from({ length: count }, (_, index) => `Page ${index + 1}`);
const shown = (count: number) => pages(count).map((text, index) => ({ page: index + 1, text }));

describe("a mentioned PDF", () => {
  it("brings its text, page by page", async () => {
    files.put("a.pdf", pdfOf(["First line\nSecond line", "Another page"]));
    expect(await files.load("a.pdf")).toEqual({
      kind: "content",
      content: {
        type: "pdf",
        pages: [
          { page: 1, text: "First line\nSecond line" },
          { page: 2, text: "Another page" },
        ],
        totalPages: 2,
      },
      truncated: false,
      realPath: files.at("a.pdf"),
      stat: files.stat("a.pdf"),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
      whole: true,
    });
  });

  it("brings 20 pages", async () => {
    files.put("20.pdf", pdfOf(pages(20)));
    files.put("21.pdf", pdfOf(pages(21)));
    expect(await files.load("20.pdf")).toMatchObject({
      content: { type: "pdf", pages: shown(20), totalPages: 20 },
      truncated: false,
      whole: true,
    });
    expect(await files.load("21.pdf")).toMatchObject({
      content: { type: "pdf", pages: shown(20), totalPages: 21 },
      truncated: true,
      whole: false,
    });
  });

  it("is cut by the limits of text", async () => {
    files.put("lines.pdf", pdfOf(["1\n2\n3", "4\n5\n6", "7"]));
    const limits = { ...PATIENT, lines: 5 };
    expect(await files.load("lines.pdf", { limits })).toMatchObject({
      content: {
        pages: [
          { page: 1, text: "1\n2\n3" },
          { page: 2, text: "4\n5\n" },
        ],
        totalPages: 3,
      },
      truncated: true,
    });
  });

  it("is shown in part when its pages take too long", async () => {
    const bytes = new TextEncoder().encode(pdfOf(pages(3))).buffer;
    expect(await readPdf({ bytes, hash: "", pages: 20, lines: 100, characters: 100, stopMs: 0 })).toEqual({
      pages: shown(1),
      totalPages: 3,
      truncated: true,
    });
  });

  it("without text says so", async () => {
    files.put("scan.pdf", pdfOf([""]));
    expect(await files.load("scan.pdf")).toMatchObject({
      content: { pages: [{ page: 1, text: "" }] },
      note: "Its pages have no text: they may be pictures.",
    });
  });
});

describe("a PDF that is not shown", () => {
  it.each([
    ["header.pdf", "%PDF-1.4\n", /: it is damaged: /u],
    ["junk.pdf", `%PDF-1.4\n${"x".repeat(100_000)}`, /: it is damaged: /u],
    ["cut.pdf", pdfOf(["x"]).slice(0, 200), /: it is damaged: /u],
    [
      "locked.pdf",
      pdfOf(
        ["x"],
        `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${"00".repeat(32)}> /U <${"00".repeat(32)}> /P -4 >> `,
      ),
      /: it is encrypted and needs a password$/u,
    ],
  ])("%s is refused", async (name, content, why) => {
    files.put(name, content);
    expect(await files.load(name)).toEqual({ kind: "refused", why: expect.stringMatching(why) });
  });

  it("AC-46 spins: ended, the others go on", async () => {
    const endless = deflateSync("BT /F1 12 Tf (x) Tj ET ".repeat(3_000_000)).toString("latin1");
    const page = "stream\nBT /F1 12 Tf 72 720 Td (x) Tj 0 -14 Td ET\nendstream";
    const bomb = pdfOf(["x"])
      .replace(/<< \/Length \d+ >>/u, `<< /Length ${endless.length} /Filter /FlateDecode >>`)
      .replace(page, () => `stream\n${endless}\nendstream`);
    expect(bomb).toContain(endless);
    files.put("bomb.pdf", Buffer.from(bomb, "latin1"));
    files.put("healthy.pdf", pdfOf(["fine"]));
    const [spun, healthy] = await Promise.all([
      files.load("bomb.pdf", { limits: {} }),
      files.load("healthy.pdf"),
    ]);
    expect(spun).toEqual({
      kind: "too-large",
      why: `reading ${files.at("bomb.pdf")} took longer than 400 ms and was ended`,
      slow: true,
      realPath: files.at("bomb.pdf"),
      stat: files.stat("bomb.pdf"),
    });
    expect(healthy).toMatchObject({ content: { pages: [{ page: 1, text: "fine" }] } });
  });

  it("needs unpdf, and it is not installed: the command is told", async () => {
    files.put("needs.pdf", pdfOf(["x"]));
    expect(await files.load("needs.pdf", { work: files.workAlone })).toEqual({
      kind: "too-large",
      why: `reading ${files.at("needs.pdf")} needs the package unpdf: npm install unpdf`,
      realPath: files.at("needs.pdf"),
      stat: files.stat("needs.pdf"),
    });
  });

  it("is damaged: nothing of that goes to the program's own output", () => {
    const broken = pdfOf(["x"]).replace("startxref", "startxxxx").replace("/Helvetica", "/Nothing");
    const path = files.put("loud.pdf", broken);
    const script = files.at("script.mjs");
    const jobs = new URL("./pdf-jobs.ts", import.meta.url).href;
    writeFileSync(
      script,
      `import { readFileSync } from "node:fs";
       import { readPdf } from ${JSON.stringify(jobs)};
       const bytes = new Uint8Array(readFileSync(${JSON.stringify(path)})).buffer;
       const { pages } = await readPdf({ bytes, hash: "", pages: 20, lines: 9, characters: 99, stopMs: 9999 });
       process.stdout.write(JSON.stringify(pages));`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", script], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(['[{"page":1,"text":"x"}]', ""]);
  });
});
