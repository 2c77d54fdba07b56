import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Log } from '../platform/db.ts'
import { readSite, type Site } from '../platform/http/site.ts'

const script = fileURLToPath(new URL('../../../portal/build.ts', import.meta.url))

/**
 * Starts to prepare the portal in a separate process: reuses a previous build of the same source, or builds it in about two
 * seconds, in parallel with the rest of the start. `site` rejects if the build fails, which is logged. `stop` ends the build.
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
    if (!stopping) log.error({ err: error }, 'could not build the portal; serving the API without it')
  })
  return {
    site,
    stop: async () => {
      stopping = true
      child.kill()
    },
  }
}
