import { Copyable } from '../ui/copyable.tsx'
import css from './shell.module.css'

/** A request or command to copy. */
export const Call = ({ title, text, label }: { title: string; text: string; label: string }) => (
  <div>
    <h3>{title}</h3>
    <Copyable text={text} label={label} block>
      <pre className={css.call}>{text}</pre>
    </Copyable>
  </div>
)
