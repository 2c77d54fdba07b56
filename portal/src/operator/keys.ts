import type { Verb } from '@demarc/client/rules'

/** The verbs of the queue, and its keys. The map of the portal has them too, so this knows nothing but types. */

export type OperatorVerb = Exclude<Verb, 'sign' | 'resubmit' | 'expire'>

export interface VerbWords {
  verb: OperatorVerb
  /** The letter that does it; a capital where it ends something. */
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

/** How the key of a verb is written. */
export const keyText = ({ verb, key }: VerbWords): string => (verb === 'cancel' ? '⇧C' : key)

/** The other keys, and what they do. */
export const queueKeys = [
  ['j', 'next'],
  ['k', 'back'],
  ['x', 'select'],
  ['⇧J', 'select, and next'],
  ['1 to 4', 'whose move'],
  ['Enter', 'as its holder sees it'],
] as const

/** All keys of the queue. */
export const allQueueKeys: readonly (readonly [key: string, does: string])[] = [
  ...queueKeys.map(([key, does]) => [key, `${does.charAt(0).toUpperCase()}${does.slice(1)}`] as const),
  ...operatorVerbs.map((words) => [keyText(words), words.label] as const),
]
