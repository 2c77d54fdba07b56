import type { Db } from '../platform/db.ts'
import { within } from '../platform/patience.ts'
import { problem } from '../platform/problem.ts'
import * as store from './index-store.ts'
import { digitFilter, profileFilter, type AvailableFilter } from './rules.ts'
import { SearchIndex, type IndexEntry, type Matches } from './search-index.ts'
import { pricesOf } from './prices-store.ts'
import type { PricedProfile, Profile } from './tables.ts'

/** The search index of a process, which every search first brings up to date with the database. */

/** How long changes are kept for processes that do not search. */
const changes_kept_s = 3_600
/** After this long without a search, changes may be missing. */
const stale_ms = (changes_kept_s / 2) * 1000

/** Deletes changes that no process reads any more. */
export const deleteOldChanges = (db: Db): Promise<void> => store.deleteOldChanges(db, changes_kept_s)

/** How long a search waits for a read, in milliseconds. The read continues for later searches. */
export interface SearchWaits {
  /** After this time it uses the index of the last read, because an order reads the database anyway. */
  with_index_ms: number
  /** After this time it is refused if the process has no index, or only one that may be too old. */
  without_index_ms: number
}

const searchWaits: SearchWaits = { with_index_ms: 2_000, without_index_ms: 10_000 }
const retry_after_s = 5

export interface Availability {
  /**
   * Passes `use` the available numbers that match at the prices that an account pays, null for those that the classes cost;
   * including every change that was committed before this was called, if they are read in time. Throws 503 without an index.
   * `use` returns before the index changes.
   */
  search<T>(filter: AvailableFilter, account_id: string | null, use: (found: Found) => T): Promise<T>
}

export interface Found extends Matches {
  /** The profile of a number that the search found. */
  profileOf(id: number): PricedProfile
}

interface Loaded {
  index: SearchIndex
  snapshot: store.Snapshot
  read_at: number
}

export function createAvailability(db: Db, waits: SearchWaits = searchWaits): Availability {
  let profiles: readonly (Profile | undefined)[] = []
  let loaded: Loaded | null = null
  let last: Promise<unknown> = Promise.resolve()
  let waiting: Promise<SearchIndex> | null = null

  /** A read that begins after this was called. Requests that wait at the same time share one, and only one runs at a time. */
  const upToDate = (): Promise<SearchIndex> => {
    if (waiting) return waiting
    const read = last.then(() => {
      waiting = null
      return refresh()
    })
    waiting = read
    // those who wait for this read get its error
    last = read.catch(() => undefined)
    return read
  }
  const usable = (): Loaded | null => (loaded !== null && performance.now() - loaded.read_at < stale_ms ? loaded : null)
  const refresh = async (): Promise<SearchIndex> => {
    const read_at = performance.now()
    const known = usable()
    const changes = known && (await store.readChanges(db, known.snapshot))
    if (known && changes?.entries) {
      const { snapshot, entries } = changes
      if (entries.some(({ profile_id }) => profiles[profile_id] === undefined)) profiles = await readProfiles(db)
      loaded = { index: await withChanges(known.index, entries), snapshot, read_at }
    } else loaded = { ...(await readAll()), read_at }
    return loaded.index
  }
  const readAll = async () => {
    await store.deleteForeignChanges(db)
    // before the numbers, so that no change is missed; changes that are read again change nothing
    const snapshot = await store.currentSnapshot(db)
    const entries = await store.readAll(db)
    profiles = await readProfiles(db)
    return { index: await SearchIndex.build(entries), snapshot }
  }
  const currentIndex = async (): Promise<SearchIndex> => {
    const index = await within(upToDate(), usable() ? waits.with_index_ms : waits.without_index_ms)
    if (index !== 'silent') return index
    const last_read = usable()
    if (last_read) return last_read.index
    throw problem('not-ready', 'The numbers for sale are still being read. Try again in a moment.', {
      headers: { 'retry-after': String(retry_after_s) },
    })
  }
  return {
    async search(filter, account_id, use) {
      const index = await currentIndex()
      // kept, because another search can read more profiles while this one waits for the prices, which do not cover them
      const known = profiles
      const priced = await pricing(db, known, account_id)
      return use(findKnown(index, filter, { known, priced, has_others: known !== profiles }))
    },
  }
}

/** The matching numbers of the known profiles. `has_others`: the index may have numbers of other profiles. */
function findKnown(
  index: SearchIndex,
  filter: AvailableFilter,
  {
    known,
    priced,
    has_others,
  }: { known: readonly (Profile | undefined)[]; priced: (profile: Profile) => PricedProfile; has_others: boolean },
): Found {
  const condition = profileFilter(filter) ?? (has_others ? () => true : null)
  const allowed = condition && Uint8Array.from(known, (profile) => (profile && condition(priced(profile)) ? 1 : 0))
  return {
    ...index.search(digitFilter(filter), allowed),
    profileOf(id) {
      const profile = known[id]
      if (!profile) throw new Error(`inventory profile ${id} is not in the index`)
      return priced(profile)
    },
  }
}

/** What an account pays for numbers of a profile. */
async function pricing(
  db: Db,
  profiles: readonly (Profile | undefined)[],
  account_id: string | null,
): Promise<(profile: Profile) => PricedProfile> {
  const has_classes = profiles.some((profile) => profile?.price_class)
  const prices = new Map((has_classes ? await pricesOf(db, account_id) : []).map((price) => [price.name, price]))
  return (profile) => {
    if (isPriced(profile)) return profile
    const price = prices.get(profile.price_class ?? '')
    if (!price) throw new Error(`inventory profile ${profile.id} has no price`)
    return { ...profile, monthly_cost: price.monthly_cost, setup_cost: price.setup_cost }
  }
}

const isPriced = (profile: Profile): profile is PricedProfile =>
  profile.monthly_cost !== null && profile.setup_cost !== null

/** Every profile, by its id. */
async function readProfiles(db: Db): Promise<readonly (Profile | undefined)[]> {
  const found = await store.readProfiles(db)
  const profiles = Array.from<Profile | undefined>({ length: (found.at(-1)?.id ?? 0) + 1 })
  for (const profile of found) profiles[profile.id] = profile
  return profiles
}

async function withChanges(index: SearchIndex, entries: readonly IndexEntry[]): Promise<SearchIndex> {
  const added = entries.filter((entry) => !index.set(entry))
  return added.length === 0 ? index : await SearchIndex.build(added, index)
}
