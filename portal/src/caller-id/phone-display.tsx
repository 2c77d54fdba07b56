import type { ReactNode } from 'react'
import css from './phone-display.module.css'

/** An incoming call as a telephone shows it: the name in large letters, and a line below it. */
export function PhoneDisplay({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.phone}>
      <span className={css.name}>{name}</span>
      <span>{children}</span>
    </div>
  )
}
