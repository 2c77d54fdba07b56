import { ConnectionError } from '@demarc/client/light'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { refusalOf } from '../api.ts'
import { PageHead, PrimaryLink, Problem, Row, Stack } from '../ui/index.ts'
import css from './shell.module.css'

/** Replaces a page that failed or could not be loaded. The navigation stays. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isSilent = error instanceof ConnectionError
  const retry = useCallback(() => void router.invalidate().then(reset), [router, reset])
  // retries when the browser is back online
  useEffect(() => {
    if (!isSilent) return undefined
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [retry, isSilent])
  return (
    <Stack>
      <PageHead title="This page can’t be displayed" />
      {/* an error in the page's code lasts until the page is reloaded */}
      <Problem refusal={refusalOf(error)} verb="Reload" onRetry={isSilent ? retry : () => location.reload()} />
    </Stack>
  )
}

/** The same without navigation. */
export function FailedAlone(props: ErrorComponentProps) {
  return (
    <main className={css.alone}>
      <Failed {...props} />
    </main>
  )
}

/** The page for unknown URLs. */
export function NotFound() {
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead title="Page not found" facts="Check the address. The page may have been removed." />
        <Row>
          <PrimaryLink to="/">Go to the overview</PrimaryLink>
        </Row>
      </Stack>
    </main>
  )
}
