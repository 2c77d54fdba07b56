import type { e911Levels } from '@demarc/client/rules'
import { Status } from '../ui/status.tsx'

type Level = (typeof e911Levels)[number]

/** The meaning of each validation level. */
export const levelMeanings: Readonly<Record<Level, string>> = {
  postal: 'City and postal code match. The street was not checked.',
  street: 'The street exists in this city. The house number was not checked.',
  range: 'The house number is within a known range on this street.',
  address: 'The house number itself is on record.',
}

/** How precisely an address was checked. At `postal` the street is unknown. */
export function LevelStatus({ level }: { level: Level }) {
  return <Status meaning={level === 'postal' ? 'needs-you' : 'done'}>Checked to {level} level</Status>
}
