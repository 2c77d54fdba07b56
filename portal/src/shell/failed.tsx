import type { ErrorComponentProps } from '@tanstack/react-router'
import { refusalOf } from '../api.ts'
import { Problem } from '../ui/problem.tsx'
import css from './shell.module.css'

/** In place of a page that failed, or whose code could not be loaded. */
export function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <div className={css.alone}>
      <Problem refusal={refusalOf(error)} onRetry={reset} />
    </div>
  )
}
