import type { Verb } from '@demarc/client/rules'

/** The queue's verbs and keys. The route map imports this file, so it imports only types. */

export type OperatorVerb = Exclude<Verb, 'sign' | 'resubmit' | 'expire'>

export interface VerbWords {
  verb: OperatorVerb
  /** The shortcut key; uppercase for destructive verbs. */
  key: string
  label: string
}

export const operatorVerbs: readonly VerbWords[] = [
  { verb: 'submit', key: 's', label: 'Submit' },
  { verb: 'accept', key: 'a', label: 'Accept' },
  { verb: 'reject', key: 'r', label: 'Reject' },
  { verb: 'reschedule', key: 'd', label: 'Reschedule' },
  { verb: 'complete', key: 'c', label: 'Complete' },
  { verb: 'cancel', key: 'C', label: 'Cancel' },
]

/** A verb's key as displayed. */
export const keyText = ({ verb, key }: VerbWords): string => (verb === 'cancel' ? '⇧C' : key)

/** The other keys. */
export const queueKeys = [
  ['j', 'next'],
  ['k', 'back'],
  ['x', 'select'],
  ['⇧J', 'select and go to next'],
  ['1 to 4', 'change filter'],
  ['Enter', 'view as customer'],
] as const

/** All keys of the queue. */
export const allQueueKeys: readonly (readonly [key: string, does: string])[] = [
  ...queueKeys.map(([key, does]) => [key, `${does.charAt(0).toUpperCase()}${does.slice(1)}`] as const),
  ...operatorVerbs.map((words) => [keyText(words), words.label] as const),
]
