import { countText } from '@demarc/client'
import type { Db } from '../../platform/db.ts'
import { coverageByState } from './coverage-store.ts'
import { dataVersion, listDatasets } from './store.ts'

/** The data that emergency addresses are validated against. */
export interface Coverage {
  /** True if no street data is active, so validation only checks that city and postal code agree. */
  postal_only: boolean
  /** For the operator: "streets of QC, WI in 1 dataset; elsewhere postal codes only". */
  description: string
}

/**
 * Caches the coverage until other data is active, because the count reads a row for every place. Concurrent callers share one
 * count.
 */
export function createCoverage(db: Db): () => Promise<Coverage> {
  let cached: { version: string; coverage: Promise<Coverage> } | null = null
  return async () => {
    const version = await dataVersion(db)
    if (cached?.version === version) return cached.coverage
    const reading = { version, coverage: readCoverage(db) }
    cached = reading
    // a rejection is not cached; the callers get it
    reading.coverage.catch(() => {
      if (cached === reading) cached = null
    })
    return reading.coverage
  }
}

/** The coverage, not cached. */
export async function readCoverage(db: Db): Promise<Coverage> {
  const [states, datasets] = await Promise.all([coverageByState(db), listDatasets(db)])
  const active = datasets.filter(({ status, streets }) => status === 'active' && streets > 0)
  if (states.length === 0)
    return { postal_only: true, description: 'postal codes only, because no street data is active' }
  // no state and province have the same code
  const named = states.map(({ state }) => state).toSorted()
  const from = countText(active.length, 'dataset')
  return { postal_only: false, description: `streets of ${named.join(', ')} in ${from}; elsewhere postal codes only` }
}
