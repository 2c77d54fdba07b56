import type { ReactNode } from 'react'
import css from './phone-display.module.css'

/** An incoming call as a phone shows it: the name in large letters with a line below. */
export function PhoneDisplay({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.phone}>
      <span className={css.name}>{name}</span>
      <span>{children}</span>
    </div>
  )
}
