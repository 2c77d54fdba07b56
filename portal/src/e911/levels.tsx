import type { e911Levels } from '@demarc/client/rules'
import { Status } from '../ui/status.tsx'

type Level = (typeof e911Levels)[number]

/** What each level says about an address. */
export const levelMeanings: Readonly<Record<Level, string>> = {
  postal: 'City and postal code agree. The street was not checked.',
  street: 'The street exists in this city. The house number was not checked.',
  range: 'The house number lies within a range of this street.',
  address: 'The house number itself is on record.',
}

/** How deep an address was checked. At `postal` nothing is known of the street. */
export function LevelStatus({ level }: { level: Level }) {
  return <Status meaning={level === 'postal' ? 'needs-you' : 'done'}>Checked to {level} level</Status>
}
