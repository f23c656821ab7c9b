// Detects the encoding of a text file by its first bytes, and writes it back the same way.

export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

export interface TextForm {
  encoding: Encoding;
  bom: boolean;
}

// Like Git: a NUL byte near the start means binary.
const LOOKED_AT = 8192;

/** Returns undefined for binary files. */
export function textForm(start: Uint8Array): TextForm | undefined {
  const [first, second, third] = start;
  if (first === 0xff && second === 0xfe) return { encoding: "utf-16le", bom: true };
  if (first === 0xfe && second === 0xff) return { encoding: "utf-16be", bom: true };
  if (start.subarray(0, LOOKED_AT).includes(0)) return undefined;
  return { encoding: "utf-8", bom: first === 0xef && second === 0xbb && third === 0xbf };
}

/** Without the byte order mark. Throws on invalid bytes, which writing back would lose. */
export function decodeExactly(bytes: Uint8Array, { encoding }: TextForm): string {
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

export function encode(text: string, { encoding, bom }: TextForm): Buffer {
  const whole = bom ? `\uFEFF${text}` : text;
  if (encoding === "utf-8") return Buffer.from(whole, "utf8");
  const bytes = Buffer.from(whole, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** The type of an image that models can see, by its first bytes. */
export function imageType(
  start: Uint8Array,
): "image/png" | "image/jpeg" | "image/gif" | "image/webp" | undefined {
  const head = String.fromCharCode(...start.subarray(0, 12));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/u.test(head)) return "image/gif";
  return /^RIFF.{4}WEBP$/su.test(head) ? "image/webp" : undefined;
}
