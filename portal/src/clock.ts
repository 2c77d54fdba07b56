import { useQuery } from '@tanstack/react-query'
import { use, useEffect, useState } from 'react'
import { dateIn } from '@demarc/client/rules'
import { sessionQuery } from './account.ts'
import { q } from './api.ts'
import { TimeZone } from './ui/values.tsx'

/** The time of the service, by which everything on the pages runs: in demo mode it is ahead of the browser's. */

const minute_ms = 60_000

/** Now, in milliseconds; read again each minute. */
export function useNow(): number {
  const { data, dataUpdatedAt } = useQuery(sessionQuery)
  const [read_at, setReadAt] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setReadAt(Date.now()), minute_ms)
    return () => clearInterval(timer)
  }, [])
  const ahead_ms = data == null ? 0 : Date.parse(data.now) - dataUpdatedAt
  return Math.max(read_at, dataUpdatedAt) + ahead_ms
}

/** Today, for the reader. */
export function useToday(): string {
  return dateIn(new Date(useNow()), use(TimeZone))
}

/** Whether this is a demo, whose clock can be moved; null while that is not known. */
export function useIsDemo(): boolean | null {
  const { data } = useQuery({ ...q('getSignInOptions'), staleTime: Infinity })
  return data === undefined ? null : data.data.mode === 'demo'
}
