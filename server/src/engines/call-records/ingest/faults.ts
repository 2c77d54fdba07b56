/** What is wrong with one line: messages by field. */

import { notKnown } from '@demarc/client'
import { LIMITS } from './limits.ts'

type Messages = Record<string, string[]>

/** A line refused: where it begins, and why. */
export type Refusal = { line: number; messages: Messages }

/** The key for what concerns a line as a whole. */
const WHOLE_LINE = 'line'

export class Faults {
  /** Most lines have none. */
  #messages: Map<string, string[]> | undefined
  #unknown = 0

  get any(): boolean {
    return this.#messages !== undefined
  }

  add(field: string, message: string): void {
    this.#messages ??= new Map()
    const known = this.#messages.get(field)
    if (known === undefined) this.#messages.set(field, [message])
    else if (!known.includes(message)) known.push(message)
  }

  addLine(message: string): void {
    this.add(WHOLE_LINE, message)
  }

  /** A field that a record does not have. Names come from outside: they are cut, and the first few are named. */
  addUnknown(field: string): void {
    this.#unknown += 1
    if (this.#unknown <= LIMITS.unknown_fields) this.add(field.toWellFormed().slice(0, 100), notKnown)
    else if (this.#unknown === LIMITS.unknown_fields + 1) this.addLine('Has more fields that are not known.')
  }

  messages(): Messages {
    return Object.fromEntries(this.#messages ?? [])
  }
}
