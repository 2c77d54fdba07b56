import { CircleX } from 'lucide-react'
import css from './problem.module.css'
import { Button } from './button.tsx'
import { Copyable } from './copyable.tsx'

/** A refusal from the API: the error and its remedy. */
export interface Refusal {
  title: string
  /** Error messages, each with its field. */
  findings: readonly { field: string | null; message: string }[]
  remedy: string | null
  /** The request id in the service's log. */
  request_id: string | null
}

interface ProblemProps {
  refusal: Refusal
  onRetry?: () => void
  verb?: string
}

/** Shows a refusal. */
export function Problem({ refusal, onRetry, verb = 'Try again' }: ProblemProps) {
  const { title, findings, remedy, request_id } = refusal
  return (
    <div className={css.problem} role="alert">
      <CircleX aria-hidden="true" />
      <div className={css.words}>
        <p className={css.title}>{title}</p>
        {findings.length > 0 && (
          <ul>
            {findings.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                {field !== null && <code>{field}</code>} {message}
              </li>
            ))}
          </ul>
        )}
        {remedy !== null && <p>{remedy}</p>}
        {request_id !== null && (
          <p className={css.id}>
            Request <Copyable text={request_id} label="the request id" />
          </p>
        )}
        {onRetry !== undefined && (
          <p className={css.retry}>
            <Button size="small" onPress={onRetry}>
              {verb}
            </Button>
          </p>
        )}
      </div>
    </div>
  )
}
