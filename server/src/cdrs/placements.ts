import type { Db } from '../platform/db.ts'
import type { PlacementSource, Warehouse } from '../engines/call-records/index.ts'
import { chooseShards } from './rules.ts'
import * as store from './placement-store.ts'

/** Placements that are copied to the call-record store at a time. */
const at_once = 10_000

/** The shards of accounts, if the call-record store has shards. A new account gets the shard with the fewest records. */
export const placementSource = (db: Db): PlacementSource => ({
  choose: async (accounts, shards) => {
    const known = await store.findPlacements(db, accounts)
    const placed = new Set(known.map(({ account_id }) => account_id))
    const unplaced = [...accounts].filter((account_id) => !placed.has(account_id))
    if (unplaced.length > 0) {
      await store.insertPlacements(db, chooseShards(await store.loadOfShards(db), shards, unplaced))
      known.push(...(await store.findPlacements(db, unplaced)))
    }
    return known.filter(({ confirmed }) => !confirmed)
  },
  confirm: (placements) => store.confirmPlacements(db, placements),
})

/** Copies all placements to the shards, because one that was added has none. */
export async function publishPlacements(db: Db, { shards }: Warehouse): Promise<void> {
  if (shards === null) return
  for (let after = '0'; ;) {
    const placements = await store.listPlacements(db, { after, most: at_once })
    if (placements.length > 0) await shards.publish(placements)
    const last = placements.at(-1)
    if (last === undefined || placements.length < at_once) return
    after = last.account_id
  }
}
