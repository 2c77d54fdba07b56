import { Copyable } from './copyable.tsx'
import css from './secret.module.css'

/** A link or secret, shown in full with a copy button. */
export function Secret({ text, label }: { text: string; label: string }) {
  return (
    <div className={css.secret}>
      <Copyable text={text} label={label} />
    </div>
  )
}
