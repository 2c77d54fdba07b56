import { ConnectionError } from '@demarc/client/light'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { refusalOf } from '../api.ts'
import { PageHead, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import css from './shell.module.css'

/** In place of a page that failed, or whose code could not be loaded. What is around the page stays, with its ways to others. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isSilent = error instanceof ConnectionError
  const retry = useCallback(() => void router.invalidate().then(reset), [router, reset])
  // it tries again by itself when the browser is online again
  useEffect(() => {
    if (!isSilent) return undefined
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [retry, isSilent])
  return (
    <Stack>
      <PageHead title="This page cannot be shown" />
      {/* a mistake of the page stays until all of its code is loaded anew */}
      <Problem refusal={refusalOf(error)} verb="Load again" onRetry={isSilent ? retry : () => location.reload()} />
    </Stack>
  )
}

/** The same where there is nothing around the page. */
export function FailedAlone(props: ErrorComponentProps) {
  return (
    <main className={css.alone}>
      <Failed {...props} />
    </main>
  )
}
