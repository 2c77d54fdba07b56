import type { portOrders } from '@demarc/client'
import { lockCnamStatusForShare, cnamAssignmentError } from '../cnam/index.ts'
import { holdAddress } from '../e911/index.ts'
import type { Executor } from '../platform/db.ts'
import { voiceRouteError } from '../voice-routes/index.ts'
import type { PresetStanding } from './rules.ts'
import type { OrderRow } from './store.ts'
import type * as z from 'zod'

/** Presets: what is put on every number of an order when it completes. */

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

/** The columns that a change names. */
export function presetColumns({ alias, ...ids }: Partial<PresetChanges>): Partial<PresetColumns> {
  const given = Object.entries({ ...ids, number_alias: alias }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

/** Presets whose records are not on the account, by field. A caller-ID name may still wait for its approval. */
export async function presetFaults(
  tx: Executor,
  account_id: string,
  presets: Partial<PresetColumns>,
): Promise<Record<string, string[]>> {
  const { cnam_id, e911_id, primary_route_id, failover_route_id } = presets
  const faults: Record<string, string[]> = {}
  const note = (field: string, why: string | null) => {
    if (why !== null) faults[`presets.${field}`] = [why]
  }
  if (primary_route_id) note('primary_route_id', await voiceRouteError(tx, account_id, primary_route_id))
  if (failover_route_id) note('failover_route_id', await voiceRouteError(tx, account_id, failover_route_id))
  if (cnam_id && (await lockCnamStatusForShare(tx, account_id, cnam_id)) === 'unknown')
    note('cnam_id', cnamAssignmentError('unknown', cnam_id))
  if (e911_id) note('e911_id', await whyNotAddress(tx, account_id, e911_id))
  return faults
}

/** The presets that are set, and what stands against the record of each. What can be used stays until the transaction ends. */
export async function presetStandings(
  tx: Executor,
  row: Pick<OrderRow, 'account_id'> & PresetColumns,
): Promise<PresetStanding[]> {
  const { account_id, primary_route_id, failover_route_id, number_alias, cnam_id, e911_id } = row
  const found: PresetStanding[] = []
  if (primary_route_id !== null)
    found.push({
      preset: 'primary_route_id',
      value: primary_route_id,
      why: await voiceRouteError(tx, account_id, primary_route_id),
    })
  if (failover_route_id !== null)
    found.push({
      preset: 'failover_route_id',
      value: failover_route_id,
      why: await voiceRouteError(tx, account_id, failover_route_id),
    })
  if (number_alias !== null) found.push({ preset: 'alias', value: number_alias, why: null })
  if (cnam_id !== null)
    found.push({
      preset: 'cnam_id',
      value: cnam_id,
      why: cnamAssignmentError(await lockCnamStatusForShare(tx, account_id, cnam_id), cnam_id),
    })
  if (e911_id !== null)
    found.push({ preset: 'e911_id', value: e911_id, why: await whyNotAddress(tx, account_id, e911_id) })
  return found
}

/** Why no number of the account can have the emergency address; null when it can, and then it stays until the transaction ends. */
const whyNotAddress = async (tx: Executor, account_id: string, id: string): Promise<string | null> =>
  (await holdAddress(tx, account_id, id)) ? null : `No emergency address ${id} is on this account.`
