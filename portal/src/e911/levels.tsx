import type { e911Levels } from '@demarc/client/rules'
import { Status } from '../ui/index.ts'

type Level = (typeof e911Levels)[number]

/** How precisely an address was checked. At `postal` the street is unknown. */
export function LevelStatus({ level }: { level: Level }) {
  return <Status meaning={level === 'postal' ? 'needs-you' : 'done'}>Checked to {level} level</Status>
}
