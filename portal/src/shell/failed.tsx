import type { ErrorComponentProps } from '@tanstack/react-router'
import { refusalOf } from '../api.ts'
import { PageHead, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import css from './shell.module.css'

/** In place of a page that failed, or whose code could not be loaded. */
export function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead title="This page cannot be shown" />
        <Problem refusal={refusalOf(error)} onRetry={reset} />
      </Stack>
    </main>
  )
}
