import { oneOfIn, textIn, wholeIn } from '../search.ts'

export const ingestOutcomes = ['rejected', 'failed'] as const

/** What of the page of call-record ingest is in its URL. */
export interface IngestSearch {
  /** What became of the deliveries that are shown. */
  became?: (typeof ingestOutcomes)[number]
  /** The delivery whose refused lines are shown. */
  refused?: string
  offset?: number
}

export const ingestSearch = (raw: Record<string, unknown>): IngestSearch => {
  const [became, refused] = [oneOfIn(raw, 'became', ingestOutcomes), textIn(raw, 'refused')]
  const offset = wholeIn(raw, 'offset')
  return {
    ...(became && { became }),
    ...(refused !== undefined && /^\d{1,18}$/.test(refused) && { refused }),
    ...(offset && { offset }),
  }
}
