import { useEffect, useRef, type ReactNode } from 'react'
import { Row, Stack } from '../ui/index.ts'
import css from './form.module.css'

interface StepPanelProps {
  title: string
  words: ReactNode
  children: ReactNode
  verbs?: ReactNode
  /** Uses the full page width. */
  wide?: boolean
}

/** One step of the order form; takes the focus when it opens. */
export function StepPanel({ title, words, children, verbs, wide = false }: StepPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={wide ? undefined : css.step}>
      <Stack>
        <header>
          <h2 ref={heading} tabIndex={-1} className={css.stepTitle}>
            {title}
          </h2>
          <p className={css.stepWords}>{words}</p>
        </header>
        {children}
        {verbs !== undefined && <Row>{verbs}</Row>}
      </Stack>
    </div>
  )
}
