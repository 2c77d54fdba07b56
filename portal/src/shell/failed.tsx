import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { refusalOf } from '../api.ts'
import { PageHead, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import css from './shell.module.css'

/** In place of a page that failed, or whose code could not be loaded. It tries again by itself when the browser is online again. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = useCallback(() => void router.invalidate().then(reset), [router, reset])
  useEffect(() => {
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [retry])
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead title="This page cannot be shown" />
        <Problem refusal={refusalOf(error)} onRetry={retry} />
      </Stack>
    </main>
  )
}
