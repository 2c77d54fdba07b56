import { useEffect, useRef } from 'react'
import { operatorVerbs, type VerbWords } from './keys.ts'

export interface QueueKeys {
  /** To the next order, or back. */
  step(by: 1 | -1): void
  /** The order that is shown is selected, or no longer. */
  toggle(): void
  /** The order that is shown is selected, and the next one shown. */
  gather(): void
  /** Another side of the queue, by its place. */
  turnTo(place: number): void
  /** The order as its holder sees it. */
  open(): void
  act(words: VerbWords): void
}

/** The keys of the queue, where nobody types and no dialog is open. */
export function useQueueKeys(keys: QueueKeys): void {
  const now = useRef(keys)
  useEffect(() => {
    now.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isElsewhere(event)) return
      const act = actionOf(event, now.current)
      if (act === null) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function isElsewhere({ target }: KeyboardEvent): boolean {
  if (document.querySelector('[role=dialog], [role=menu], [role=listbox]') !== null) return true
  return target instanceof HTMLElement && target.closest('input:not([type=checkbox]), textarea, select') !== null
}

function actionOf({ key, target }: KeyboardEvent, keys: QueueKeys): (() => void) | null {
  if (key === 'j') return () => keys.step(1)
  if (key === 'k') return () => keys.step(-1)
  if (key === 'J') return () => keys.gather()
  if (/^[1-9]$/.test(key)) return () => keys.turnTo(Number(key) - 1)
  if (key === 'x') return () => keys.toggle()
  // on a button or another link Enter is theirs
  if (key === 'Enter')
    return target === document.body || (target instanceof HTMLElement && target.dataset['current'] === 'true')
      ? () => keys.open()
      : null
  const words = operatorVerbs.find((each) => each.key === key)
  return words === undefined ? null : () => keys.act(words)
}
