import { Link } from '@tanstack/react-router'
import { Clock } from 'lucide-react'
import { useSession } from '../account.ts'
import { useIsDemo, useNow } from '../clock.ts'
import { Time } from '../ui/values.tsx'
import css from './shell.module.css'

/** The demo clock, which the operator's staff can move. */
export function DemoClock() {
  const { memberships } = useSession()
  const isOperator = memberships.some(({ account_id }) => account_id === null)
  const now = useNow()
  if (useIsDemo() !== true) return null
  const clock = (
    <>
      <Clock aria-hidden="true" />
      <span>Demo</span>
      <span className={css.clock}>
        <Time at={new Date(now).toISOString()} />
      </span>
    </>
  )
  if (!isOperator)
    return (
      <span className={css.demo} title="This is a demo. Losing carriers are simulated, and the clock can be moved.">
        {clock}
      </span>
    )
  return (
    <Link to="/operator/clock" search={{ account: undefined }} className={css.demo} title="Move the demo clock">
      {clock}
    </Link>
  )
}
