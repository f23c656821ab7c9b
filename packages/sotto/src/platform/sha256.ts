// SHA-256: with node:crypto, or in plain JavaScript in a process that hashes little and saves the time to load it.

const BLOCK = 64;
// Loading node:crypto takes about as long as hashing this many bytes in plain JavaScript, a block for each short text.
let allowance = 48 * 1024;
let crypto: typeof import("node:crypto") | undefined;

export function sha256(content: string | Uint8Array, encoding: "hex" | "base64url" = "hex"): string {
  allowance -= content.length + BLOCK;
  if (crypto === undefined && allowance >= 0) {
    const hex = hashInJavaScript(content);
    return encoding === "hex" ? hex : Buffer.from(hex, "hex").toString(encoding);
  }
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.hash("sha256", content, encoding);
}

// Fractional parts of the square and cube roots of the first primes, as in the standard.
const primes = firstPrimes(64);
const START = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const ROUNDS = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

/** In hexadecimal. */
export function hashInJavaScript(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  // Of the length's 64 bits: no content here has more than 32.
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += BLOCK) mix(state, words, { view, at });
  let hash = "";
  for (const word of state) hash += word.toString(16).padStart(8, "0");
  return hash;
}

function mix(state: Uint32Array, w: Uint32Array, { view, at }: { view: DataView; at: number }): void {
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const early = w[i - 15] as number;
    const late = w[i - 2] as number;
    const s0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const s1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + s1 + choice + (ROUNDS[i] as number) + (w[i] as number)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + s0 + majority) | 0;
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + value;
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++)
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  return found;
}
