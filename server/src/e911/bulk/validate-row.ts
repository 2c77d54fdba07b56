import { e911LevelMeanings, type e911Validations } from '@demarc/client'
import type { Alternative, Level, Validator } from '../../engines/addresses/index.ts'
import { checkFields } from '../rules.ts'

export type Verdict = (typeof e911Validations.e911Verdicts)[number]
export type VerdictCounts = Partial<Record<Verdict, number>>
/** Valid rows by level. */
export type LevelCounts = Partial<Record<Level, number>>

export interface RowResult {
  verdict: Verdict
  level: Level | null
  /** Messages by field if the row violates the field rules, why no address was found, or what was not checked. */
  detail: string | Record<string, string[]> | null
  /** Most likely first. */
  corrections: Alternative[]
}

/** Required columns: the place. */
export const PLACE_COLUMNS = ['street_number', 'street_name', 'city', 'state', 'country', 'zip'] as const
/** Optional columns. */
const OTHER_COLUMNS = ['address_type', 'address_type_number', 'label', 'first_name', 'last_name'] as const
export const READ_COLUMNS: readonly string[] = [...PLACE_COLUMNS, ...OTHER_COLUMNS]

/** Only the place is validated, so names may be missing from the file. Any text that satisfies the field rules works. */
const placeholders = { label: 'Row', first_name: 'Any', last_name: 'Body' }

/** Validates the address in a row. Throws only what the validator throws. */
export async function validateRow(validator: Validator, row: Readonly<Record<string, unknown>>): Promise<RowResult> {
  const fields: Record<string, unknown> = { ...placeholders }
  for (const name of READ_COLUMNS) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined
    if (value !== undefined && value !== null && value !== '') fields[name] = value
  }
  const checked = checkFields(fields)
  if (!checked.ok) return unread(checked.fields)
  const outcome = await validator.validate(checked.address)
  const none = { level: null, corrections: [] }
  switch (outcome.kind) {
    case 'ok':
      return {
        ...none,
        verdict: 'valid',
        level: outcome.level,
        detail: outcome.level === 'postal' ? e911LevelMeanings.postal : null,
      }
    case 'correct':
      return { ...none, verdict: 'correction', detail: outcome.reason ?? null, corrections: outcome.alternatives }
    case 'not_geocodable':
      return { ...none, verdict: 'not_geocodable', detail: outcome.reason }
    case 'unavailable':
      return {
        ...none,
        verdict: 'unavailable',
        detail: 'No validator was available. Send this row again later.',
      }
  }
}

/** A row that could not be read as an address. */
export const unread = (detail: string | Record<string, string[]>): RowResult => ({
  verdict: 'invalid_input',
  level: null,
  detail,
  corrections: [],
})

/** A row as read, and how it is written with its result. */
export type BulkRow = { write(result: RowResult): string } & (
  | { fields: Readonly<Record<string, unknown>> }
  /** The result of a row that cannot be read. */
  | { unread: RowResult }
)

export interface BulkFormat {
  /** Throws FileRefused for a file that cannot be read any further. */
  rows(source: AsyncIterable<Uint8Array>): AsyncIterable<BulkRow>
}
