import { asteriskCsv } from './asterisk-csv.ts'
import { freeswitchCsv } from './freeswitch-csv.ts'
import { freeswitchJson } from './freeswitch-json.ts'
import type { Mapping } from './mapping.ts'

export { lookupCells, lookupIn, mapped, type Mapping } from './mapping.ts'

/** Mappings by the name in the request. */
export const MAPPINGS = {
  'freeswitch-json': freeswitchJson,
  'freeswitch-csv': freeswitchCsv,
  'asterisk-csv': asteriskCsv,
} as const satisfies Record<string, Mapping>

export const mappingNamed = (name: string): Mapping | undefined =>
  Object.hasOwn(MAPPINGS, name) ? MAPPINGS[name as keyof typeof MAPPINGS] : undefined
