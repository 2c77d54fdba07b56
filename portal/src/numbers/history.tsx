import { useQuery } from '@tanstack/react-query'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Card } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { Time } from '../ui/values.tsx'
import css from './number.module.css'

const by = { account: 'your team', operator: 'the operator', system: 'the service' } as const

/** A number's history, newest first. */
export function History({ value }: { value: string }) {
  const activity = useQuery(q('listActivity', { query: { number: value, limit: 20 } }))
  return (
    <Card title="History" flush>
      <Loaded query={activity}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={css.pad}>No changes since this number was added to the account.</p>
          ) : (
            <ol className={css.history}>
              {data.map(({ id, attributes }) => (
                <li key={id}>
                  <span>{attributes.sentence}</span>
                  <Soft>
                    <Time at={attributes.occurred_at} />, {by[attributes.by]}
                  </Soft>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  )
}
