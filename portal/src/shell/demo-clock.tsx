import { useQuery } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { useSession } from '../account.ts'
import { q } from '../api.ts'
import { Time } from '../ui/values.tsx'
import css from './shell.module.css'

/** In demo mode the service's clock, which the operator's people can move. */
export function DemoClock() {
  const { memberships } = useSession()
  const isOperator = memberships.some(({ account_id }) => account_id === null)
  const options = useQuery({ ...q('getSignInOptions'), staleTime: Infinity })
  const demo = options.data?.data.mode === 'demo'
  const clock = useQuery({ ...q('getClock'), enabled: demo && isOperator, refetchInterval: 60_000 })
  if (!demo) return null
  return (
    <span className={css.demo} title="This is a demo: losing carriers are simulated, and the clock can be moved.">
      <Clock aria-hidden="true" />
      <span>Demo</span>
      {clock.data !== undefined && (
        <span className={css.clock}>
          <Time at={clock.data.data.now} />
        </span>
      )}
    </span>
  )
}
