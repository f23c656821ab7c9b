// SHA-256: with node:crypto, or in plain JavaScript in a process that hashes little and saves the time to load it.

const BLOCK = 64;
// Loading node:crypto takes about as long as hashing this many bytes in plain JavaScript, a block for each short text.
let allowance = 48 * 1024;
let crypto: typeof import("node:crypto") | undefined;

export function sha256(content: string | Uint8Array, encoding: "hex" | "base64url" = "hex"): string {
  allowance -= content.length + BLOCK;
  if (crypto === undefined && allowance >= 0) {
    const hex = hashOnce(content);
    return encoding === "hex" ? hex : Buffer.from(hex, "hex").toString(encoding);
  }
  return loadCrypto().hash("sha256", content, encoding);
}

let last: { bytes: Uint8Array; hash: string } | undefined;

/**
 * A file's text is hashed when it is read, and again when it is stored: comparing takes no time. The bytes are copied, as
 * whoever gave them may go on writing into them.
 */
function hashOnce(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  if (last === undefined || Buffer.compare(bytes, last.bytes) !== 0)
    last = { bytes, hash: hashInJavaScript(bytes) };
  return last.hash;
}

/** For who knows that much will be hashed. */
export function loadCrypto() {
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto;
}

// All numbers are signed: V8's interpreter makes an object of each that does not fit in 32 bits with a sign, as it does of
// sums, unless they are cut at once.

// Fractional parts of the square and cube roots of the first primes, as in the standard. Working them out takes longer than
// a first turn's hashes.
// biome-ignore format: eight in a line
const START = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);
// biome-ignore format: eight in a line
const ROUNDS = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

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
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += BLOCK) mix(state, words, { view, at });
  let hash = "";
  for (const word of state) hash += (word >>> 0).toString(16).padStart(8, "0");
  return hash;
}

// Rotations are written out: a first turn runs this in V8's interpreter, where a call costs more than what is in it.
function mix(state: Int32Array, w: Int32Array, { view, at }: { view: DataView; at: number }): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const early = w[i - 15] as number;
    const late = w[i - 2] as number;
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    w[i] = (((((w[i - 16] as number) + s0) | 0) + (w[i - 7] as number)) | 0) + s1;
  }
  const [a0 = 0, b0 = 0, c0 = 0, d0 = 0, e0 = 0, f0 = 0, g0 = 0, h0 = 0] = state;
  let [a, b, c, d, e, f, g, h] = [a0, b0, c0, d0, e0, f0, g0, h0];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = (e & f) ^ (~e & g);
    const round = ((ROUNDS[i] as number) + (w[i] as number)) | 0;
    const first = (((((h + s1) | 0) + choice) | 0) + round) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (((first + s0) | 0) + majority) | 0;
  }
  state.set([a0 + a, b0 + b, c0 + c, d0 + d, e0 + e, f0 + f, g0 + g, h0 + h]);
}
