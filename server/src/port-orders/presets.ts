import type { portOrders } from '@demarc/client'
import { lockCnamStatusForShare, cnamAssignmentError } from '../cnam/index.ts'
import { lockAddressForKeyShare } from '../e911/index.ts'
import type { Executor } from '../platform/db.ts'
import { voiceRouteError } from '../voice-routes/index.ts'
import type { Preset, PresetCheck } from './rules.ts'
import type { OrderRow } from './store.ts'
import type * as z from 'zod'

/** Presets: settings that are applied to every number of an order when it completes. */

type PresetChanges = z.output<typeof portOrders.presetChanges>
export type PresetColumns = Pick<
  OrderRow,
  'cnam_id' | 'e911_id' | 'primary_route_id' | 'failover_route_id' | 'number_alias'
>

export const noPresets: PresetColumns = {
  cnam_id: null,
  e911_id: null,
  primary_route_id: null,
  failover_route_id: null,
  number_alias: null,
}

export function presetColumns({ alias, ...ids }: Partial<PresetChanges>): Partial<PresetColumns> {
  const changed = Object.entries({ ...ids, number_alias: alias }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(changed)
}

/** Why a record cannot be used as a preset, by field; null if it can, and its row is then locked until the transaction ends. */
const recordErrors = {
  primary_route_id: voiceRouteError,
  failover_route_id: voiceRouteError,
  cnam_id: async (tx: Executor, account_id: string, id: string) =>
    cnamAssignmentError(await lockCnamStatusForShare(tx, account_id, id), id),
  e911_id: async (tx: Executor, account_id: string, id: string) =>
    (await lockAddressForKeyShare(tx, account_id, id)) ? null : `No emergency address ${id} is on this account.`,
} as const satisfies Partial<Record<Preset, (tx: Executor, account_id: string, id: string) => Promise<string | null>>>

/** Errors of presets whose records are not on the account, by field. A caller ID name does not have to be approved yet. */
export async function presetErrors(
  tx: Executor,
  account_id: string,
  presets: Partial<PresetColumns>,
): Promise<Record<string, string[]>> {
  const errors: Record<string, string[]> = {}
  for (const field of ['primary_route_id', 'failover_route_id', 'cnam_id', 'e911_id'] as const) {
    const id = presets[field]
    if (!id) continue
    const isUnknown = field !== 'cnam_id' || (await lockCnamStatusForShare(tx, account_id, id)) === 'unknown'
    const error = isUnknown ? await recordErrors[field](tx, account_id, id) : null
    if (error !== null) errors[`presets.${field}`] = [error]
  }
  return errors
}

/** The presets of an order, each with the reason why its record cannot be used. Usable records are locked until the transaction ends. */
export async function presetChecks(
  tx: Executor,
  row: Pick<OrderRow, 'account_id'> & PresetColumns,
): Promise<PresetCheck[]> {
  const checks: PresetCheck[] = []
  const check = async (preset: keyof typeof recordErrors) => {
    const value = row[preset]
    if (value !== null) checks.push({ preset, value, error: await recordErrors[preset](tx, row.account_id, value) })
  }
  await check('primary_route_id')
  await check('failover_route_id')
  if (row.number_alias !== null) checks.push({ preset: 'alias', value: row.number_alias, error: null })
  await check('cnam_id')
  await check('e911_id')
  return checks
}
