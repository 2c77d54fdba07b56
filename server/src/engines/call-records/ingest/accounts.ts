/** Which accounts there are, asked once each. */

import { LIMITS } from './limits.ts'

export type AccountsExist = (ids: string[]) => Promise<Set<string>>

export class Accounts {
  readonly #exist: AccountsExist
  readonly #known = new Map<string, boolean>()

  constructor(exist: AccountsExist) {
    this.#exist = exist
  }

  /** Learns of those that are not known yet, all in one question. */
  async learn(ids: ReadonlySet<string>): Promise<void> {
    const unknown = [...ids].filter((id) => !this.#known.has(id))
    if (unknown.length === 0) return
    if (this.#known.size + unknown.length > LIMITS.accounts) {
      this.#known.clear()
      unknown.splice(0, Infinity, ...ids)
    }
    const existing = await this.#exist(unknown)
    for (const id of unknown) this.#known.set(id, existing.has(id))
  }

  /** After `learn`. */
  exists(id: string): boolean {
    return this.#known.get(id) ?? false
  }
}
