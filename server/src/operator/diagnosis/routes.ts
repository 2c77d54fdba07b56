import { operator as api } from '@demarc/client'
import { timeText } from '../../platform/clock.ts'
import { bind, type Routes } from '../../platform/http/binding.ts'
import type { CheckedFinding } from './run.ts'

/** How long results are used again: each run connects to the mail relay, the bucket, and the public URL. */
const fresh_ms = 5_000

/** `run` runs the checks. Requests share a run that is in progress or has just ended. */
export const diagnosisRoutes = (run: () => Promise<CheckedFinding[]>): Routes => {
  const start = async () => {
    const checked_at = timeText(new Date())
    return { checked_at, checks: await run() }
  }
  let latest: ReturnType<typeof start> | null = null
  return () => [
    bind(api.diagnose, async () => {
      if (latest === null) {
        latest = start()
        const expire = () => setTimeout(() => (latest = null), fresh_ms).unref()
        latest.then(expire, expire)
      }
      return { body: { data: await latest } }
    }),
  ]
}
