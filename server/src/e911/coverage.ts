import type pg from 'pg'
import { coverageByState, listDatasets } from './import/datasets.ts'

/** What emergency addresses are checked against at present. */
export interface Coverage {
  /** True where no street data is active: addresses are checked as far as city and postal code agree. */
  postal_only: boolean
  /** For the operator: "streets of 2 states in 1 dataset; elsewhere postal codes only". */
  words: string
}

/** How long an answer stands. At national size the counting reads as many rows as there are places. */
const fresh_ms = 60_000

/** Tells the coverage as of a minute ago at most; those who ask while it is being counted wait for the same answer. */
export function createCoverage(pool: pg.Pool): () => Promise<Coverage> {
  let known: { at: number; coverage: Promise<Coverage> } | null = null
  return () => {
    if (known && performance.now() - known.at < fresh_ms) return known.coverage
    const asked = { at: performance.now(), coverage: readCoverage(pool) }
    known = asked
    // one that failed is no answer to keep; whoever asked is told of the failure itself
    asked.coverage.catch(() => {
      if (known === asked) known = null
    })
    return asked.coverage
  }
}

/** The coverage at this moment. */
export async function readCoverage(pool: pg.Pool): Promise<Coverage> {
  const [states, datasets] = await Promise.all([coverageByState(pool), listDatasets(pool)])
  const active = datasets.filter(({ status, streets }) => status === 'active' && streets > 0)
  if (states.length === 0) return { postal_only: true, words: 'postal codes only, because no street data is active' }
  const words = `streets of ${counted(states.length, 'state')} in ${counted(active.length, 'dataset')}; elsewhere postal codes only`
  return { postal_only: false, words }
}

const counted = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`
