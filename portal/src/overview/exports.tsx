import { useQuery } from '@tanstack/react-query'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Card } from '../ui/panels.tsx'
import { Status, type Meaning } from '../ui/status.tsx'
import { Count, Time } from '../ui/values.tsx'
import css from './overview.module.css'

const states: Readonly<Record<string, readonly [Meaning, string]>> = {
  processing: ['moving', 'Being made'],
  completed: ['done', 'Ready'],
  failed: ['refused', 'Failed'],
  expired: ['quiet', 'Expired'],
}

/** The last exports of call records. */
export function Exports() {
  const exports = useQuery(q('listCdrExports', { query: { limit: 4 } }))
  return (
    <Card title="Last exports" flush>
      <Loaded query={exports}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={css.pad}>None yet. An export is a file of all calls that match filters you choose.</p>
          ) : (
            <ul className={css.tasks}>
              {data.map(({ id, attributes: { status, requested_at, num_calls, failure_reason } }) => {
                const [meaning, word] = states[status] ?? ['quiet', status]
                return (
                  <li key={id} className={css.task}>
                    <Status meaning={meaning}>{word}</Status>
                    <div className={css.words}>
                      <span>
                        {num_calls === null ? (
                          `Export ${id}`
                        ) : (
                          <>
                            <Count of={num_calls} /> calls
                          </>
                        )}
                      </span>
                      {failure_reason !== null && <span className={css.soft}>{failure_reason}</span>}
                    </div>
                    <span className={css.due}>
                      <Time at={requested_at} date />
                    </span>
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
