/**
 * Optimal string alignment distance: insertions, deletions, substitutions, and swaps of neighbors that turn one text into the
 * other. Returns `limit + 1` as soon as the distance is known to exceed `limit`.
 */
export function edits(a: string, b: string, limit: number): number {
  if (a === b) return 0
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > limit) return limit + 1
  let start = 0
  while (start < short.length && short.charCodeAt(start) === long.charCodeAt(start)) start++
  let end = 0
  while (
    end < short.length - start &&
    short.charCodeAt(short.length - 1 - end) === long.charCodeAt(long.length - 1 - end)
  )
    end++
  const s = short.slice(start, short.length - end)
  const l = long.slice(start, long.length - end)
  if (s.length === 0) return l.length
  return limit === 0 ? 1 : aligned(s, l, limit)
}

/** The last three rows of the distance table, reused between calls. */
let before = new Uint16Array(64)
let above = new Uint16Array(64)
let current = new Uint16Array(64)

function aligned(s: string, l: string, limit: number): number {
  const width = l.length + 1
  if (width > current.length) {
    before = new Uint16Array(width * 2)
    above = new Uint16Array(width * 2)
    current = new Uint16Array(width * 2)
  }
  for (let j = 0; j < width; j++) above[j] = j
  for (let i = 1; i <= s.length; i++) {
    current[0] = i
    let lowest = i
    const letter = s.charCodeAt(i - 1)
    for (let j = 1; j < width; j++) {
      const other = l.charCodeAt(j - 1)
      let cost = Math.min(at(above, j) + 1, at(current, j - 1) + 1, at(above, j - 1) + (letter === other ? 0 : 1))
      if (i > 1 && j > 1 && letter === l.charCodeAt(j - 2) && s.charCodeAt(i - 2) === other)
        cost = Math.min(cost, at(before, j - 2) + 1)
      current[j] = cost
      if (cost < lowest) lowest = cost
    }
    // a swap uses the row before the previous one, so a single row above the limit is not conclusive
    if (lowest > limit + 1) return limit + 1
    const free = before
    before = above
    above = current
    current = free
  }
  return Math.min(at(above, width - 1), limit + 1)
}

function at(row: Uint16Array, i: number): number {
  return row[i] ?? 0
}

/** Bits by character code: one for each letter and each pair of digits, none for other characters. */
export const LETTER_BITS: Int32Array = Int32Array.from({ length: 128 }, (_, code) =>
  code >= 65 && code <= 90 ? 1 << (code - 65) : code >= 48 && code <= 57 ? 1 << (26 + ((code - 48) >> 1)) : 0,
)

/** The bits of all characters of a text. */
export function lettersIn(text: string): number {
  let letters = 0
  for (let i = 0; i < text.length; i++) letters |= LETTER_BITS[text.charCodeAt(i)] ?? 0
  return letters
}

/**
 * Whether texts of these letters (`lettersIn`) may be within that many edits of each other: one edit adds at most one
 * letter and removes at most one.
 */
export function mayBeWithin(a: number, b: number, limit: number): boolean {
  return bits(a & ~b) <= limit && bits(b & ~a) <= limit
}

/** How many bits are set. */
function bits(n: number): number {
  let left = n - ((n >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
