import { Check } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import css from './stepper.module.css'

export interface Step {
  id: string
  title: string
  /** Why the step can't be opened yet; null or absent if it can. */
  disabledReason?: string | null
}

interface StepperProps {
  label: string
  steps: readonly Step[]
  /** ID of the current step. */
  at: string
  /** Ids of completed steps. */
  done: ReadonlySet<string>
  onGo(id: string): void
  children: ReactNode
}

/** The steps of a long form. Completed steps can be reopened. */
export function Stepper({ label, steps, at, done, onGo, children }: StepperProps) {
  const current = useRef<HTMLLIElement>(null)
  // narrow screens don't show all steps
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [at])
  return (
    <div className={css.stepper}>
      <ol className={css.steps} aria-label={label}>
        {steps.map(({ id, title, disabledReason = null }, i) => (
          <li key={id} ref={id === at ? current : null}>
            <button
              type="button"
              className={css.step}
              aria-current={id === at ? 'step' : undefined}
              aria-disabled={disabledReason !== null}
              title={disabledReason ?? undefined}
              onClick={() => {
                if (disabledReason === null) onGo(id)
              }}
            >
              <span className={css.mark} data-done={done.has(id) || undefined}>
                {done.has(id) ? <Check aria-label="Done" /> : i + 1}
              </span>
              <span className={css.title}>{title}</span>
            </button>
          </li>
        ))}
      </ol>
      <div className={css.content}>{children}</div>
    </div>
  )
}
