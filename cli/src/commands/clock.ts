import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import { advanceClock, setClock } from './clock/advance.ts'
import type { Noun } from '../verb.ts'

/** The service's clock, which demo mode can move. */

const get = plain('get', operations.getClock, { examples: ['clock get'] })

export const clock: Noun = {
  name: 'clock',
  summary: 'The service’s clock (demo mode)',
  verbs: [get, advanceClock, setClock],
}
