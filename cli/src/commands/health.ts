import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Health checks; needs no key. */
export const health: Noun = {
  name: 'health',
  summary: 'Health checks',
  verbs: [
    plain('live', operations.live, { examples: ['health live'] }),
    plain('ready', operations.ready, { examples: ['health ready --json'] }),
  ],
}
