import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun, Verb } from '../verb.ts'

/** The service's clock, which demo mode can move. */

const description =
  'Returns after all jobs that became due have run, in order. Demo mode only. The clock cannot move back.'

const advanceClock: Verb = {
  ...plain('advance', operations.moveClock, {
    summary: 'Move the clock forward by a duration (demo mode)',
    description,
    body: (input) => ({ advance: input.argumentList('time').join(' ') }),
    examples: ['clock advance 10 days', 'clock advance 2 hours'],
  }),
  arguments: [{ name: 'time', summary: 'Duration, such as 2 hours or 10 days', many: true }],
}

const setClock: Verb = {
  ...plain('set', operations.moveClock, {
    summary: 'Move the clock forward to a time (demo mode)',
    description,
    body: (input) => ({ set: input.argument('time') }),
    examples: ['clock set 2026-12-24T08:00:00Z'],
  }),
  arguments: [{ name: 'time', summary: 'ISO 8601 with an offset' }],
}

const get = plain('get', operations.getClock, { examples: ['clock get'] })

export const clock: Noun = {
  name: 'clock',
  summary: 'The service’s clock (demo mode)',
  verbs: [get, advanceClock, setClock],
}
