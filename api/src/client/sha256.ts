/** An incremental digest. Node's `createHash` fits too. */
export interface Digest {
  update(bytes: Uint8Array): unknown
  /** The digest in lower-case hex; nothing can be added afterward. */
  digest(encoding: 'hex'): string
}

/** First 32 bits of the fractional parts of `root` of the first primes: FIPS 180-4's definition of its constants. */
function fractions(count: number, root: (prime: number) => number): Int32Array {
  const found: number[] = []
  for (let n = 2; found.length < count; n++)
    if (Array.from({ length: n - 2 }, (_, i) => i + 2).every((divisor) => n % divisor !== 0)) found.push(n)
  return Int32Array.from(found, (prime) => (root(prime) % 1) * 2 ** 32)
}

const constants = fractions(64, Math.cbrt)
const initial_state = fractions(8, Math.sqrt)
const block_bytes = 64

/** SHA-256 (FIPS 180-4) of a stream: Web Crypto digests only complete inputs. */
export class Sha256 implements Digest {
  readonly #state = initial_state.slice()
  readonly #words = new Int32Array(64)
  readonly #pending = new Uint8Array(block_bytes)
  #length = 0

  update(bytes: Uint8Array): this {
    let offset = 0
    const filled = this.#length % block_bytes
    this.#length += bytes.length
    if (filled > 0) {
      offset = Math.min(block_bytes - filled, bytes.length)
      this.#pending.set(bytes.subarray(0, offset), filled)
      if (filled + offset < block_bytes) return this
      this.#block(new DataView(this.#pending.buffer), 0)
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (; offset + block_bytes <= bytes.length; offset += block_bytes) this.#block(view, offset)
    this.#pending.set(bytes.subarray(offset))
    return this
  }

  digest(_encoding: 'hex'): string {
    const length = this.#length
    const padding = new Uint8Array(((119 - (length % block_bytes)) % block_bytes) + 1)
    padding[0] = 0x80
    this.update(padding)
    const bits = new Uint8Array(8)
    new DataView(bits.buffer).setBigUint64(0, BigInt(length) * 8n)
    this.update(bits)
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  #block(view: DataView, offset: number): void {
    const w = this.#words
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(offset + i * 4)
    for (let i = 16; i < 64; i++) {
      const w2 = w[i - 2] ?? 0
      const w15 = w[i - 15] ?? 0
      const s0 = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >>> 3)
      const s1 = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >>> 10)
      w[i] = ((w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1) | 0
    }
    const s = this.#state
    let a = s[0] ?? 0
    let b = s[1] ?? 0
    let c = s[2] ?? 0
    let d = s[3] ?? 0
    let e = s[4] ?? 0
    let f = s[5] ?? 0
    let g = s[6] ?? 0
    let h = s[7] ?? 0
    for (let i = 0; i < 64; i++) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + (w[i] ?? 0)) | 0
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    const round = [a, b, c, d, e, f, g, h]
    for (let i = 0; i < 8; i++) s[i] = (s[i] ?? 0) + (round[i] ?? 0)
  }
}

const rotated = (word: number, by: number) => (word >>> by) | (word << (32 - by))
