import { timeText } from '../../platform/clock.ts'
import { link } from '../../platform/http/binding.ts'
import type { PortoutRow } from './tables.ts'

type Deps = Parameters<typeof link>[0]

export const portoutResource = (deps: Deps, { id, responded_at, created_at, changed_at, ...row }: PortoutRow) => ({
  type: 'portout' as const,
  id,
  attributes: {
    ...row,
    responded_at: timeText(responded_at),
    created_at: timeText(created_at),
    changed_at: timeText(changed_at),
  },
  links: { self: link(deps, `/v2/portouts/${id}`) },
})

export function portoutDocument(deps: Deps, row: PortoutRow) {
  const data = portoutResource(deps, row)
  return { data, links: data.links }
}
