import { readCoverage } from '../engines/street-data/index.ts'
import type { Runtime } from '../runtime.ts'

/** Says in the log how far emergency addresses are checked: a warning where nobody knows a single street. */
export async function logCoverage({ database, config, deps: { log } }: Runtime): Promise<void> {
  const { postal_only, words } = await readCoverage(database.db)
  const asked = [config.e911.lost_url, config.e911.census_url].filter((url) => url !== null)
  const facts = { coverage: words, others_asked: asked.length }
  if (postal_only && asked.length === 0)
    log.warn(
      facts,
      'emergency addresses are checked by postal code only; load street data, see docs/operate/street-data.md',
    )
  else log.info(facts, 'what emergency addresses are checked against')
}
