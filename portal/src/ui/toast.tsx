import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import css from './toast.module.css'

interface Message {
  id: number
  text: string
  kind: 'done' | 'refused' | 'plain'
  verb?: { label: string; onAction(): void }
}

/** Long enough to read a sentence twice; toasts with an action stay until closed. */
const shown_ms = 6_000

let messages: readonly Message[] = []
let next_id = 1
const subscribers = new Set<() => void>()

/** Shows a message in the corner. */
export function toast(text: string, options: { kind?: Message['kind']; verb?: Message['verb'] } = {}): void {
  const id = next_id++
  const { kind = 'plain', verb } = options
  show([...messages.filter((each) => each.text !== text), { id, text, kind, ...(verb && { verb }) }].slice(-3))
  if (verb === undefined) setTimeout(() => close(id), shown_ms)
}

function close(id: number): void {
  show(messages.filter((each) => each.id !== id))
}

function show(list: readonly Message[]): void {
  messages = list
  for (const each of subscribers) each()
}

function subscribe(onChange: () => void): () => void {
  subscribers.add(onChange)
  return () => subscribers.delete(onChange)
}

/** Renders the toasts; used once, in the shell. */
export function Toasts() {
  const list = useSyncExternalStore(subscribe, () => messages)
  return (
    <div className={css.toasts} role="status" aria-live="polite">
      {list.map(({ id, text, kind, verb }) => (
        <div key={id} className={css.toast} data-meaning={kind}>
          <span>{text}</span>
          {verb !== undefined && (
            <button type="button" className={css.verb} onClick={() => verb.onAction()}>
              {verb.label}
            </button>
          )}
          <button type="button" className={css.close} aria-label="Close" onClick={() => close(id)}>
            <X aria-hidden="true" />
          </button>
        </div>
      ))}
    </div>
  )
}
