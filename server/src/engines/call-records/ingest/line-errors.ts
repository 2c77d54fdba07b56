/** The errors of one line: messages by field. */

import { notKnown } from '@demarc/client'
import { LIMITS } from './limits.ts'

type Messages = Record<string, string[]>

/** A rejected line: its number (of its first line if it spans several) and its errors. */
export type RejectedLine = { line: number; messages: Messages }

/** Key for errors of the whole line. */
const WHOLE_LINE = 'line'

export class LineErrors {
  /** Created on the first error, because most lines have none. */
  #messages: Map<string, string[]> | undefined
  #unknown = 0

  get any(): boolean {
    return this.#messages !== undefined
  }

  add(field: string, message: string): void {
    this.#messages ??= new Map()
    const present = this.#messages.get(field)
    if (present === undefined) this.#messages.set(field, [message])
    else if (!present.includes(message)) present.push(message)
  }

  addLine(message: string): void {
    this.add(WHOLE_LINE, message)
  }

  /** Adds an unknown field. Names are user input, so they are truncated and only the first few are listed. */
  addUnknown(field: string): void {
    this.#unknown += 1
    if (this.#unknown <= LIMITS.unknown_fields) this.add(field.toWellFormed().slice(0, 100), notKnown)
    else if (this.#unknown === LIMITS.unknown_fields + 1) this.addLine('Has more unknown fields.')
  }

  messages(): Messages {
    return Object.fromEntries(this.#messages ?? [])
  }
}
