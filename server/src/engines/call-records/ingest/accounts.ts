/** Caches which accounts exist, for one ingest. */

import { LIMITS } from './limits.ts'

export type FindExistingAccounts = (ids: string[]) => Promise<Set<string>>

export class Accounts {
  readonly #exist: FindExistingAccounts
  readonly #cached = new Map<string, boolean>()

  constructor(exist: FindExistingAccounts) {
    this.#exist = exist
  }

  /** Looks up accounts that are not cached, in one query. */
  async load(ids: ReadonlySet<string>): Promise<void> {
    const unknown = [...ids].filter((id) => !this.#cached.has(id))
    if (unknown.length === 0) return
    if (this.#cached.size + unknown.length > LIMITS.accounts) {
      this.#cached.clear()
      unknown.splice(0, Infinity, ...ids)
    }
    const existing = await this.#exist(unknown)
    for (const id of unknown) this.#cached.set(id, existing.has(id))
  }

  /** Call `load` first. */
  exists(id: string): boolean {
    return this.#cached.get(id) ?? false
  }
}
