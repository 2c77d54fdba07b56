import { jobWords } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { durationText } from '../ui/text.ts'
import type { Meaning } from '../ui/status.tsx'
import type { jobStates } from './search.ts'

export type Job = Body<'listJobs'>['data'][number]
type JobState = (typeof jobStates)[number]

/** What a kind of job does; its name where it is not known here. */
export const kindTitle = (kind: string): string => jobWords[kind]?.title ?? kind

export const stateWords: Readonly<Record<JobState, { label: string; meaning: Meaning }>> = {
  dead: { label: 'Given up', meaning: 'refused' },
  due: { label: 'Due', meaning: 'moving' },
  running: { label: 'Running', meaning: 'moving' },
  scheduled: { label: 'Later', meaning: 'quiet' },
}

/** An error as it was thrown, without the name of its class. */
export const errorText = (error: string): string => error.replace(/^[A-Za-z]*Error: /, '')

/** So late is what waits for a worker that is there only. */
const late_min_s = 60

/** For how long something waits, where that is worth a word. */
export function lateText(late_s: number): string | null {
  return late_s < late_min_s ? null : durationText(late_s)
}
