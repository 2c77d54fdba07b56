import { oneOfIn, textIn, wholeIn } from '../search.ts'

export const ingestOutcomes = ['rejected', 'failed'] as const

/** URL parameters of the ingest page. */
export interface IngestSearch {
  /** The outcome of the listed deliveries. */
  outcome?: (typeof ingestOutcomes)[number]
  /** The delivery whose rejected lines are open. */
  refused?: string
  offset?: number
}

export const ingestSearch = (raw: Record<string, unknown>): IngestSearch => {
  const [outcome, refused] = [oneOfIn(raw, 'outcome', ingestOutcomes), textIn(raw, 'refused')]
  const offset = wholeIn(raw, 'offset')
  return {
    ...(outcome && { outcome }),
    ...(refused !== undefined && /^\d{1,18}$/.test(refused) && { refused }),
    ...(offset && { offset }),
  }
}
