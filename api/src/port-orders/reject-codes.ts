import { accountCodes } from './reject-codes/account.ts'
import { lineCodes } from './reject-codes/line.ts'
import { orderCodes } from './reject-codes/order.ts'
import type { RejectEntry } from './reject-codes/entry.ts'

export type { RejectEntry, RejectField } from './reject-codes/entry.ts'

/**
 * The catalog: every reason for a rejection in plain words, with the codes that carriers send for it. Reasons without such
 * codes (`numeric` and `lsr` empty) are found by the preflight check.
 */
export const rejectCodes = { ...accountCodes, ...lineCodes, ...orderCodes } as const satisfies Record<
  string,
  RejectEntry
>
export type RejectCode = keyof typeof rejectCodes

/** A reason that the catalog does not know: shown like the others, with the carrier's own text kept. */
export const unclassified = {
  title: 'Reason not in the catalog',
  cause: 'The losing carrier sent a text or a code that we do not know; it is shown as received.',
  who: 'operator',
  field: null,
  fix: 'If it does not say what to correct, we ask the carrier and add the reason here.',
  business_days: [1, 5],
  numeric: [],
  lsr: [],
} as const satisfies RejectEntry

export interface Classified {
  code: RejectCode | 'unclassified'
  /** The input, unchanged. */
  raw: string
  entry: RejectEntry
}

/** Looks a reason up by our code, a numeric code or an LSR code, in any case. Never fails: the unknown is `unclassified`. */
export function classify(raw: string): Classified {
  const code = byAnyCode.get(raw.trim().toUpperCase())
  return code === undefined
    ? { code: 'unclassified', raw, entry: unclassified }
    : { code, raw, entry: rejectCodes[code] }
}

export const isRejectCode = (text: string): text is RejectCode => Object.hasOwn(rejectCodes, text)

export const rejectCodeNames: readonly RejectCode[] = Object.keys(rejectCodes).filter(isRejectCode)

const byAnyCode = new Map<string, RejectCode>(
  rejectCodeNames.flatMap((code) =>
    [code.toUpperCase(), ...rejectCodes[code].numeric, ...rejectCodes[code].lsr].map((any) => [any, code] as const),
  ),
)
