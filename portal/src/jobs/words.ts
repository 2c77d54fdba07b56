import { jobWords } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { durationText } from '../ui/text.ts'
import type { Meaning } from '../ui/status.tsx'
import type { jobStates } from './search.ts'

export type Job = Body<'listJobs'>['data'][number]
type JobState = (typeof jobStates)[number]

/** A job kind's title; its name if the portal does not know it. */
export const kindTitle = (kind: string): string => jobWords[kind]?.title ?? kind

export const stateWords: Readonly<Record<JobState, { label: string; meaning: Meaning }>> = {
  dead: { label: 'Failed', meaning: 'refused' },
  due: { label: 'Due', meaning: 'moving' },
  running: { label: 'Running', meaning: 'moving' },
  scheduled: { label: 'Later', meaning: 'quiet' },
}

/** An error message without the class name. */
export const errorText = (error: string): string => error.replace(/^[A-Za-z]*Error: /, '')

/** Jobs later than this are waiting for a worker. */
const late_min_s = 60

/** How long a job has waited; null if the wait is short. */
export function lateText(late_s: number): string | null {
  return late_s < late_min_s ? null : durationText(late_s)
}
