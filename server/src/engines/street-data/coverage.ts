import type { Db } from '../../platform/db.ts'
import { coverageByState, dataVersion, listDatasets } from './store.ts'

/** What emergency addresses are checked against at present. */
export interface Coverage {
  /** True where no street data is active: addresses are checked as far as city and postal code agree. */
  postal_only: boolean
  /** For the operator: "streets of QC, WI in 1 dataset; elsewhere postal codes only". */
  words: string
}

/**
 * Tells the coverage, counted anew only when other data is active: at national size that reads as many rows as there are
 * places. Those who ask while it is being counted wait for the same answer.
 */
export function createCoverage(db: Db): () => Promise<Coverage> {
  let known: { version: string; coverage: Promise<Coverage> } | null = null
  return async () => {
    const version = await dataVersion(db)
    if (known?.version === version) return known.coverage
    const asked = { version, coverage: readCoverage(db) }
    known = asked
    // one that failed is no answer to keep; whoever asked is told of the failure itself
    asked.coverage.catch(() => {
      if (known === asked) known = null
    })
    return asked.coverage
  }
}

/** The coverage at this moment. */
export async function readCoverage(db: Db): Promise<Coverage> {
  const [states, datasets] = await Promise.all([coverageByState(db), listDatasets(db)])
  const active = datasets.filter(({ status, streets }) => status === 'active' && streets > 0)
  if (states.length === 0) return { postal_only: true, words: 'postal codes only, because no street data is active' }
  // a code of two letters is either a state or a province
  const named = states.map(({ state }) => state).toSorted()
  const from = active.length === 1 ? '1 dataset' : `${active.length} datasets`
  return { postal_only: false, words: `streets of ${named.join(', ')} in ${from}; elsewhere postal codes only` }
}
