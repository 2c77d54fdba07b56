import { readCoverage } from '../engines/street-data/index.ts'
import type { Runtime } from '../runtime.ts'

/** Logs which data validates emergency addresses. Warns if there is neither street data nor a remote validator. */
export async function logCoverage({ database, config, deps: { log } }: Runtime): Promise<void> {
  const { postal_only, description: coverage } = await readCoverage(database.db)
  const remotes = [config.e911.lost_url, config.e911.census_url].filter((url) => url !== null)
  const fields = { coverage, remote_validators: remotes.length }
  if (postal_only && remotes.length === 0)
    log.warn(
      fields,
      'emergency addresses are validated by postal code only; to load street data, see docs/operate/street-data.md',
    )
  else log.info(fields, 'street data coverage')
}
