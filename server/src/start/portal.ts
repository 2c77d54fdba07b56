import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Log } from '../platform/db.ts'
import { readSite, type Site } from '../platform/http/site.ts'

const script = fileURLToPath(new URL('../../../portal/build.ts', import.meta.url))

/**
 * Begins to prepare the portal: what was built from the same source before, otherwise it is built now, in a process of its own
 * that needs about two seconds beside the rest of the start. `site` rejects when that fails, which is logged; `stop` ends it.
 */
export function preparePortal(log: Log): { site: Promise<Site>; stop: () => Promise<void> } {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
  const build = async (): Promise<Site> => {
    const [[code], folder, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
    if (code !== 0)
      throw new Error(`Building the portal failed: ${stripVTControlCharacters(errors).trim() || `exit code ${code}`}`)
    return await readSite(folder.trim())
  }
  const site = build()
  let stopping = false
  site.catch((error: unknown) => {
    if (!stopping) log.error({ err: error }, 'the portal could not be built; the API is served without it')
  })
  return {
    site,
    stop: async () => {
      stopping = true
      child.kill()
    },
  }
}
