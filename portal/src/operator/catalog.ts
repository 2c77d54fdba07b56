import { rejectCodeNames, rejectCodes, type RejectCode, type RejectEntry } from '@demarc/client/rules'

/** Search of the rejection catalog. */

export interface Reason extends RejectEntry {
  code: RejectCode
}

const reasons: readonly Reason[] = rejectCodeNames.map((code) => ({ code, ...rejectCodes[code] }))

/** Reasons that match every word: exact codes first, then title matches. */
export function findReasons(text: string): readonly Reason[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return reasons
    .map((reason) => ({ reason, rank: rankOf(reason, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ reason }) => reason)
}

/** 0: no match. */
function rankOf({ code, title, cause, codes }: Reason, words: readonly string[]): number {
  if (words.length === 0) return 1
  if ([code, ...codes].some((each) => each.toLowerCase() === words.join(' '))) return 4
  const has = (where: string) => words.every((word) => where.toLowerCase().includes(word))
  if (has(title)) return 3
  return has(`${code} ${title} ${cause}`) ? 2 : 0
}
