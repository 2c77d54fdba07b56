import { oneOfIn, wholeIn } from '../search.ts'

export const nameStates = ['approved', 'not-approved'] as const

/** URL parameters of the caller-ID page. */
export interface CallerIdSearch {
  state?: (typeof nameStates)[number]
  offset?: number
}

export const callerIdSearch = (raw: Record<string, unknown>): CallerIdSearch => {
  const [state, offset] = [oneOfIn(raw, 'state', nameStates), wholeIn(raw, 'offset')]
  return { ...(state && { state }), ...(offset && { offset }) }
}
