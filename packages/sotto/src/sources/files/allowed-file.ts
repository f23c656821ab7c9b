// A project's config file, read with the same permissions as every other file.

import { createFileAccess, type FileAccessOptions } from "./file-access.ts";
import { type ReadOutcome, specialWords, whyDenied } from "./read-outcome.ts";
import type { Reader } from "./reader.ts";
import { MOST_BYTES, type SmallFile } from "./safe-open.ts";

type FoundFile = Exclude<SmallFile, { kind: "absent" }>;

/**
 * Reads the file with the session's reader: deny rules hold for all of its names, and links must stay in the project.
 */
export async function allowedFile(file: FoundFile, fileAccess: FileAccessOptions): Promise<FoundFile> {
  if (file.kind !== "text") return file;
  const read = await readAllowed(file.path, await createFileAccess(fileAccess).reader());
  return read.kind === "absent" ? { kind: "unreadable", path: file.path, why: "it is gone" } : read;
}

export async function readAllowed(path: string, reader: Reader, maxBytes = MOST_BYTES): Promise<SmallFile> {
  const read = await reader.read(path, { maxBytes });
  if (read.kind === "missing") return { kind: "absent" };
  if (read.kind === "text" && read.encoding === "utf-8" && !read.truncated)
    return { kind: "text", path, realPath: read.realPath, text: read.text };
  return { kind: "unreadable", path, why: whyNot(read, maxBytes) };
}

function whyNot(read: Exclude<ReadOutcome, { kind: "missing" }>, maxBytes: number): string {
  switch (read.kind) {
    case "denied":
      return whyDenied(read.rule);
    case "secret":
      return "it looks like a secret, or is another name of one";
    case "special":
      return `it is ${specialWords(read.what)}`;
    case "directory":
      return "it is a directory";
    case "unreadable":
      return read.why;
    case "text":
      return read.truncated ? `it is larger than ${maxBytes} bytes` : "it is not UTF-8 text";
    case "binary":
      return "it is not UTF-8 text";
  }
}
