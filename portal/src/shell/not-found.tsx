import { EmptyState } from '../ui/panels.tsx'
import { PrimaryLink } from '../ui/link.tsx'
import css from './shell.module.css'

/** For a URL that no page has. */
export function NotFound() {
  return (
    <div className={css.alone}>
      <EmptyState title="There is no such page" verb={<PrimaryLink to="/">Go to the overview</PrimaryLink>}>
        <p>
          The address may be mistyped, or what it showed is gone. Search for a number, an order or a name with Ctrl-K or
          ⌘K.
        </p>
      </EmptyState>
    </div>
  )
}
