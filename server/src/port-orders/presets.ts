import type { portOrders } from '@demarc/client'
import { lockCnamStatusForShare, cnamAssignmentError } from '../cnam/index.ts'
import { lockAddressForKeyShare } from '../e911/index.ts'
import type { Executor } from '../platform/db.ts'
import { voiceRouteError } from '../voice-routes/index.ts'
import type { PresetCheck } from './rules.ts'
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

/** The changed columns. */
export function presetColumns({ alias, ...ids }: Partial<PresetChanges>): Partial<PresetColumns> {
  const changed = Object.entries({ ...ids, number_alias: alias }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(changed)
}

/** Errors of presets whose records are not on the account, by field. A caller-ID name does not have to be approved yet. */
export async function presetErrors(
  tx: Executor,
  account_id: string,
  presets: Partial<PresetColumns>,
): Promise<Record<string, string[]>> {
  const { cnam_id, e911_id, primary_route_id, failover_route_id } = presets
  const errors: Record<string, string[]> = {}
  const add = (field: string, error: string | null) => {
    if (error !== null) errors[`presets.${field}`] = [error]
  }
  if (primary_route_id) add('primary_route_id', await voiceRouteError(tx, account_id, primary_route_id))
  if (failover_route_id) add('failover_route_id', await voiceRouteError(tx, account_id, failover_route_id))
  if (cnam_id && (await lockCnamStatusForShare(tx, account_id, cnam_id)) === 'unknown')
    add('cnam_id', cnamAssignmentError('unknown', cnam_id))
  if (e911_id) add('e911_id', await addressError(tx, account_id, e911_id))
  return errors
}

/** The presets of an order, each with the reason why its record cannot be used. Usable records are locked until the transaction ends. */
export async function presetChecks(
  tx: Executor,
  row: Pick<OrderRow, 'account_id'> & PresetColumns,
): Promise<PresetCheck[]> {
  const { account_id, primary_route_id, failover_route_id, number_alias, cnam_id, e911_id } = row
  const checks: PresetCheck[] = []
  if (primary_route_id !== null)
    checks.push({
      preset: 'primary_route_id',
      value: primary_route_id,
      error: await voiceRouteError(tx, account_id, primary_route_id),
    })
  if (failover_route_id !== null)
    checks.push({
      preset: 'failover_route_id',
      value: failover_route_id,
      error: await voiceRouteError(tx, account_id, failover_route_id),
    })
  if (number_alias !== null) checks.push({ preset: 'alias', value: number_alias, error: null })
  if (cnam_id !== null)
    checks.push({
      preset: 'cnam_id',
      value: cnam_id,
      error: cnamAssignmentError(await lockCnamStatusForShare(tx, account_id, cnam_id), cnam_id),
    })
  if (e911_id !== null)
    checks.push({ preset: 'e911_id', value: e911_id, error: await addressError(tx, account_id, e911_id) })
  return checks
}

/** Why the emergency address cannot be used; if it can, null, and its row is locked until the transaction ends. */
const addressError = async (tx: Executor, account_id: string, id: string): Promise<string | null> =>
  (await lockAddressForKeyShare(tx, account_id, id)) ? null : `No emergency address ${id} is on this account.`
