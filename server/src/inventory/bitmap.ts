/** Bitmaps with one bit for each position, in words of 32 bits. Loops over whole words, which take less than a nanosecond each. */

export type Bitmap = Int32Array

/** The first and the last word of a range. */
export interface Words {
  first: number
  last: number
}

export const newBitmap = (bits: number): Bitmap => new Int32Array((bits + 31) >>> 5)

export const bitAt = (bitmap: Bitmap, i: number): boolean => (((bitmap[i >>> 5] ?? 0) >>> (i & 31)) & 1) === 1

/** The position of the lowest bit of a word that is not 0. */
export const lowestBit = (word: number): number => 31 - Math.clz32(word & -word)

export function setBit(bitmap: Bitmap, i: number, on: boolean): void {
  const word = bitmap[i >>> 5] ?? 0
  bitmap[i >>> 5] = on ? word | (1 << (i & 31)) : word & ~(1 << (i & 31))
}

/** The count of bits in a word, without a loop (Hacker's Delight, 5-1). */
export function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The count of bits from a position to before another. */
export function countBits(bitmap: Bitmap, from: number, below: number): number {
  let count = 0
  for (let i = from; i < below;) {
    if ((i & 31) === 0 && i + 32 <= below) {
      count += bitsIn(bitmap[i >>> 5] ?? 0)
      i += 32
    } else {
      if (bitAt(bitmap, i)) count++
      i++
    }
  }
  return count
}

/** `to = to & other`. */
export function intersect(to: Bitmap, other: Bitmap, { first, last }: Words): void {
  for (let w = first; w <= last; w++) to[w] = (to[w] ?? 0) & (other[w] ?? 0)
}

/** `to = to | (a & b)`. */
export function uniteIntersection(to: Bitmap, a: Bitmap, b: Bitmap, { first, last }: Words): void {
  for (let w = first; w <= last; w++) to[w] = (to[w] ?? 0) | ((a[w] ?? 0) & (b[w] ?? 0))
}

/** Keeps the bits from one position to before another, which is in the same or a later word. */
export function keepRange(bitmap: Bitmap, from: number, below: number): void {
  bitmap.fill(0, 0, from >>> 5)
  if ((from & 31) !== 0) bitmap[from >>> 5] = (bitmap[from >>> 5] ?? 0) & (-1 << (from & 31))
  if ((below & 31) !== 0) bitmap[below >>> 5] = (bitmap[below >>> 5] ?? 0) & ~(-1 << (below & 31))
  bitmap.fill(0, (below + 31) >>> 5)
}

/** Word `w` of the bitmap moved down by `by` bits. */
function movedDown(bitmap: Bitmap, w: number, by: number): number {
  const low = bitmap[w + (by >>> 5)] ?? 0
  const rest = by & 31
  return rest === 0 ? low : (low >>> rest) | ((bitmap[w + (by >>> 5) + 1] ?? 0) << (32 - rest))
}

/** Word `w` of the bitmap moved up by `by` bits. */
function movedUp(bitmap: Bitmap, w: number, by: number): number {
  const high = bitmap[w - (by >>> 5)] ?? 0
  const rest = by & 31
  return rest === 0 ? high : (high << rest) | ((bitmap[w - (by >>> 5) - 1] ?? 0) >>> (32 - rest))
}

/**
 * Keeps runs of at least `least` bits in which each bit is linked to the next one. A bit of `links` links its position to the
 * next one. `starts` is overwritten.
 */
export function keepRuns(
  bitmap: Bitmap,
  { links, least, starts }: { links: Bitmap; least: number; starts: Bitmap },
  { first, last }: Words,
): void {
  if (least < 2) return
  starts.fill(0)
  for (let w = first; w <= last; w++) starts[w] = (bitmap[w] ?? 0) & movedDown(bitmap, w, 1) & (links[w] ?? 0)
  // where a run of links begins that is long enough, doubling the length
  for (let length = 1; length < least - 1;) {
    const step = Math.min(length, least - 1 - length)
    for (let w = first; w <= last; w++) starts[w] = (starts[w] ?? 0) & movedDown(starts, w, step)
    length += step
  }
  // every position of these runs
  for (let length = 1; length < least;) {
    const step = Math.min(length, least - length)
    for (let w = last; w >= first; w--) starts[w] = (starts[w] ?? 0) | movedUp(starts, w, step)
    length += step
  }
  intersect(bitmap, starts, { first, last })
}
