import { useQuery } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'
import { numbersText, stageOf, stages } from '../port-orders/words.ts'
import { PathLink } from '../ui/link.tsx'
import { Card } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { StageStrip } from '../ui/status.tsx'
import { Day } from '../ui/values.tsx'
import css from './overview.module.css'
import { More } from './tasks.tsx'

type Order = Body<'listPortOrders'>['data'][number]

const shown_max = 4

/** Orders that somebody else is working on: first those at the losing carrier, the next to arrive at the top. */
export function Moving() {
  const away = useQuery(q('listPortOrders', { query: { who: 'carrier', order: 'due', limit: shown_max } }))
  const here = useQuery(q('listPortOrders', { query: { who: 'operator', order: 'due', limit: shown_max } }))
  const lists: readonly (Body<'listPortOrders'> | undefined)[] = [away.data, here.data]
  const moving: readonly Order[] = lists.flatMap((list) => list?.data ?? [])
  const more = moving.length > shown_max || lists.some((list) => list?.links.next !== undefined)
  if (moving.length === 0) return null
  return (
    <Card title="On its way" flush>
      <ul className={css.tasks}>
        {moving
          .slice(0, shown_max)
          .map(({ id, attributes: { alias, status, next, completion_date, numbers_count } }) => (
            <li key={id} className={css.order}>
              <div className={css.orderHead}>
                <strong>
                  <PathLink to={`/port-orders/${id}`}>{alias === '' ? `Port order ${id}` : alias}</PathLink>
                </strong>
                <Soft size="body">
                  {numbersText(numbers_count)}
                  {completion_date !== null && (
                    <>
                      , arrives <Day value={completion_date} weekday />
                    </>
                  )}
                </Soft>
              </div>
              <StageStrip label={`Stages of ${alias}`} stages={stages} at={stageOf[status] ?? 0} />
              <Soft size="body">{next.what}</Soft>
            </li>
          ))}
        {more && <More>All port orders</More>}
      </ul>
    </Card>
  )
}
