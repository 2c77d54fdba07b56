import type { FollowUps } from '../../engines/street-data/index.ts'
import { enqueue, schedule } from '../../platform/jobs.ts'
import { revalidateJob } from '../actions.ts'

/** Kind of the job that clears the rows of deleted datasets and killed imports; its key is `all`. */
export const clearJob = 'clear-e911'

/** The jobs to enqueue after a change of street data. */
export const followUps: FollowUps = {
  async activeDataChanged(tx, now) {
    await enqueue(tx, revalidateJob, 'all', now)
    await enqueue(tx, clearJob, 'all', now)
  },
  async importStarted(db, due_at) {
    await schedule(db, clearJob, 'all', due_at)
  },
}
