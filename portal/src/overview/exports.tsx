import { useRead } from '../api.ts'
import { stateOf } from '../call-records/words.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Card, Count, EmptyLine, Lines, Link, Soft, Status, Time } from '../ui/index.ts'
import css from './overview.module.css'

/** Recent call-record exports. */
export function Exports() {
  const exports = useRead('listCdrExports', { query: { limit: 4 } })
  return (
    <Card title="Recent exports" flush>
      <Loaded query={exports}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyLine>No exports yet. An export is a file of all calls that match your filters.</EmptyLine>
          ) : (
            <Lines>
              {data.map((each) => {
                const { id, attributes } = each
                const { requested_at, num_calls, failure_reason } = attributes
                const [meaning, word] = stateOf(each)
                return (
                  <li key={id} className={css.task}>
                    <Status meaning={meaning}>{word}</Status>
                    <div className={css.words}>
                      <span>
                        <Link to="/call-records/exports/$export_id" params={{ export_id: id }}>
                          Export {id}
                        </Link>
                        {num_calls !== null && (
                          <>
                            , <Count of={num_calls} /> calls
                          </>
                        )}
                      </span>
                      {failure_reason !== null && <Soft size="body">{failure_reason}</Soft>}
                    </div>
                    <span className={css.due}>
                      <Time at={requested_at} date />
                    </span>
                  </li>
                )
              })}
            </Lines>
          )
        }
      </Loaded>
    </Card>
  )
}
