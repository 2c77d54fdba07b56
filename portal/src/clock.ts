import { useQuery } from '@tanstack/react-query'
import { use, useEffect, useState } from 'react'
import { dateIn } from '@demarc/client/rules'
import { sessionQuery } from './account.ts'
import { useRead } from './api.ts'
import { TimeZone } from './ui/values.tsx'

/** The service's time, which every page uses. In demo mode it runs ahead of the browser's. */

const minute_ms = 60_000

/** The current time in milliseconds, updated every minute. */
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

/** Today in the reader's time zone. */
export function useToday(): string {
  return dateIn(new Date(useNow()), use(TimeZone))
}

/** Whether this is a demo, whose clock can be moved; null until known. */
export function useIsDemo(): boolean | null {
  const { data } = useRead('getSignInOptions', {}, { staleTime: Infinity })
  return data === undefined ? null : data.data.mode === 'demo'
}
