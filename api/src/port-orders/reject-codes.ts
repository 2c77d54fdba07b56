import { accountCodes } from './reject-codes/account.ts'
import { lineCodes } from './reject-codes/line.ts'
import { orderCodes } from './reject-codes/order.ts'
import type { RejectEntry } from './reject-codes/entry.ts'

export type { RejectEntry, RejectField } from './reject-codes/entry.ts'

/**
 * The catalog of reject codes: every reason for a rejection in plain words, with the codes that carriers send for it. Only the
 * preflight check finds reasons without carrier codes.
 */
export const rejectCodes = { ...accountCodes, ...lineCodes, ...orderCodes } as const satisfies Record<
  string,
  RejectEntry
>
export type RejectCode = keyof typeof rejectCodes

/** A reason that is not in the catalog. It is shown like the others, with the carrier's text. */
export const unclassified = {
  title: 'Reason not in the catalog',
  cause: 'The losing carrier sent a text or a code that is not in the catalog. It is shown as received.',
  who: 'operator',
  field: null,
  fix: 'If it does not say what to correct, we ask the carrier and add the reason here.',
  business_days: [1, 5],
  codes: [],
} as const satisfies RejectEntry

export interface Classified {
  code: RejectCode | 'unclassified'
  /** The input, unchanged. */
  raw: string
  entry: RejectEntry
}

/** Looks up a reason by our code or one that carriers send, in upper or lower case. Unknown ones are `unclassified`. */
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
    [code.toUpperCase(), ...rejectCodes[code].codes].map((any) => [any, code] as const),
  ),
)
