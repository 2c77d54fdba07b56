import { operations } from '@demarc/client'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Retention: what is deleted by age, for the operator. */

const plan = plain('plan', operations.planRetention, {
  columns: ['class', 'account_id', 'period', 'count', 'oldest_at', 'is_held'],
  description: 'With --account, only of that account. The nightly job deletes this, except what is held.',
  examples: ['retention plan', 'retention plan --account 1001'],
})

const run = plain('run', operations.runRetention, {
  question: () => 'Delete everything that `demarc retention plan` lists?',
  examples: ['retention run --yes'],
})

export const retention: Noun = { name: 'retention', summary: 'What is deleted by age', verbs: [plan, run] }
