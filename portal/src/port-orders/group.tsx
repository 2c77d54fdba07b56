import type { GroupStatus } from '@demarc/client/rules'
import { useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Card, Link, type Meaning, Skeleton, Soft, Status } from '../ui/index.ts'
import css from './list.module.css'
import { meaningOf, numbersText, statusText } from './words.ts'

const groupWords = {
  'Requires Action': { meaning: 'needs-you', text: 'Requires action' },
  'In Progress': { meaning: 'moving', text: 'In progress' },
  Completed: { meaning: 'done', text: 'Completed' },
  Canceled: { meaning: 'quiet', text: 'Canceled' },
} as const satisfies Record<GroupStatus, { meaning: Meaning; text: string }>

/** The orders one request was split into. */
export function GroupSummary({ id, without }: { id: string; without?: string }) {
  const group = useRead('getPortOrderGroup', { params: { group_id: id } })
  // on an order's page, a group of one is not worth showing
  if (without !== undefined && (group.data?.data.attributes.orders.length ?? 0) < 2) return null
  return (
    <Loaded query={group} skeleton={<Skeleton rows={2} />}>
      {({ data: { attributes } }) => (
        <Card
          title="Ordered together"
          aside={<Status meaning={groupWords[attributes.status].meaning}>{groupWords[attributes.status].text}</Status>}
        >
          <ul className={css.group}>
            {attributes.orders.map((each) => (
              <li key={each.id}>
                {each.id === without ? (
                  <strong>This order</strong>
                ) : (
                  <Link to="/port-orders/$order" params={{ order: each.id }}>
                    {each.alias === '' ? `Port order ${each.id}` : each.alias}
                  </Link>
                )}
                <Soft below>
                  {numbersText(each.numbers_count)} from {each.provider}
                </Soft>
                <Status meaning={meaningOf(each.status)}>{statusText(each.status)}</Status>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Loaded>
  )
}
