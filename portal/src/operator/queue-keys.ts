import { useEffect, useRef } from 'react'
import { operatorVerbs, type VerbWords } from './keys.ts'

export interface QueueKeys {
  /** To the next or previous order. */
  step(by: 1 | -1): void
  /** Toggles the selection of the open order. */
  toggle(): void
  /** Selects the open order and opens the next. */
  gather(): void
  /** Shows another part of the queue, by position. */
  turnTo(place: number): void
  /** Opens the order as the customer sees it. */
  open(): void
  act(words: VerbWords): void
}

/** The queue's keys, inactive while typing or in a dialog. */
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
  // buttons and links handle Enter themselves
  if (key === 'Enter')
    return target === document.body || (target instanceof HTMLElement && target.dataset['current'] === 'true')
      ? () => keys.open()
      : null
  const words = operatorVerbs.find((each) => each.key === key)
  return words === undefined ? null : () => keys.act(words)
}
