import { Circle, CircleAlert, CircleCheck, CircleX, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import css from './status.module.css'

/** What a state means to the person: `needs-you` waits on them, `moving` on someone else, `quiet` on no one. */
export type Meaning = 'needs-you' | 'moving' | 'done' | 'refused' | 'quiet'

const shapes = {
  'needs-you': CircleAlert,
  moving: LoaderCircle,
  done: CircleCheck,
  refused: CircleX,
  quiet: Circle,
} as const satisfies Record<Meaning, unknown>

/** A state as a word with color and shape. */
export function Status({ meaning, children }: { meaning: Meaning; children: ReactNode }) {
  const Shape = shapes[meaning]
  return (
    <span className={css.status} data-meaning={meaning}>
      <Shape aria-hidden="true" />
      <span>{children}</span>
    </span>
  )
}

/** The word and meaning of each value of a status. */
export type StatusWords<S extends string> = Readonly<Record<S, { label: string; meaning: Meaning }>>

/** A value of a status, in its word. */
export const StatusOf = <S extends string>({ words, value }: { words: StatusWords<S>; value: S }) => (
  <Status meaning={words[value].meaning}>{words[value].label}</Status>
)

interface StageStripProps {
  label: string
  stages: readonly string[]
  /** Index of the current stage; the number of stages when all are done. */
  at: number
  meaning?: Meaning
  /** Names only the current stage on narrow screens. */
  terse?: boolean
}

/** A progress strip of stages. `refused` marks a failed stage. */
export function StageStrip({ label, stages, at, meaning = 'moving', terse = false }: StageStripProps) {
  return (
    <ol className={`${css.strip} ${terse ? css.terse : ''}`} aria-label={label}>
      {stages.map((stage, i) => {
        const state = i < at ? 'done' : i === at ? meaning : 'quiet'
        return (
          <li key={stage} className={css.stage} data-meaning={state} aria-current={i === at ? 'step' : undefined}>
            {stage}
          </li>
        )
      })}
    </ol>
  )
}
