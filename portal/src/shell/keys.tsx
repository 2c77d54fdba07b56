import { useMatches } from '@tanstack/react-router'
import { Dialog } from '../ui/dialog.tsx'
import css from './shell.module.css'

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl K', '⌘ K', '/'], 'Search and commands'],
  [['?'], 'Keyboard shortcuts'],
  [['Tab'], 'Next control'],
  [['Esc'], 'Close'],
]

/** Keys of the page, and keys that work everywhere. */
export function KeysDialog({ onClose }: { onClose(): void }) {
  const ofPage = useMatches().flatMap(({ staticData }) => staticData.keys ?? [])
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <dl className={css.keys}>
        {[...ofPage.map(([key, does]) => [[key], does] as const), ...keys].map(([names, does]) => (
          <div key={does}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
