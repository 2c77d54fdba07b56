import { portOrderStatuses, terminal, transitions } from './transitions.ts'
import type { Condition, Transition } from './transitions.ts'

const conditionWords = {
  idle_45_days: 'after 45 days',
  completion_date_given: 'a date had been given',
  no_completion_date_given: 'no date had been given',
} as const satisfies Record<Condition, string>

/** The life of a port order as a Mermaid state diagram, drawn from the transitions. Ends in a line break. */
export function mermaid(): string {
  const lines = ['stateDiagram-v2', '  [*] --> Pending']
  for (const t of transitions) lines.push(`  ${t.from} --> ${t.to}: ${label(t)}`)
  for (const status of portOrderStatuses) if (terminal(status)) lines.push(`  ${status} --> [*]`)
  return `${lines.join('\n')}\n`
}

function label(t: Transition): string {
  return t.when ? `${t.verb} (${t.actor}, ${conditionWords[t.when]})` : `${t.verb} (${t.actor})`
}
