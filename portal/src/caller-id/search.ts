import { oneOfIn, wholeIn } from '../search.ts'

export const nameStates = ['approved', 'not-approved'] as const

/** What of the list of caller-ID names is in its URL. */
export interface CallerIdSearch {
  state?: (typeof nameStates)[number]
  offset?: number
}

export const callerIdSearch = (raw: Record<string, unknown>): CallerIdSearch => {
  const [state, offset] = [oneOfIn(raw, 'state', nameStates), wholeIn(raw, 'offset')]
  return { ...(state && { state }), ...(offset && { offset }) }
}
