import { sql } from 'kysely'
import type { Executor, Tx } from './db.ts'
import { problem, type Problem } from './problem.ts'
import { storedBytes_min } from './rows.ts'

/**
 * Storage limits for an account's files. Usage is counted from the rows that refer to them, so it is correct after any crash;
 * uploads in progress are counted in this process's memory.
 */

/** The bytes that an account's rows refer to. Every feature that stores files of accounts provides one. */
export type StoredBytes = (db: Executor, account_id: string) => Promise<number>

/** Reserved space for a file that is being received. */
export interface Reservation {
  /** The most that may be received. */
  bytes_max: number
  /** The problem for a file that turned out larger. */
  exceeded: () => Problem
  /** Always call it, once the file is stored or abandoned. */
  release: () => void
}

/** A file about to be received: its length if the client declared it, and the largest accepted size. */
export interface Announced {
  content_length: string | undefined
  bytes_max: number
}

export interface Storage {
  /** How much more the account may store, by its rows. Never negative. */
  room(db: Executor, account_id: string): Promise<number>
  /** Throws 507 if the account is at its limit, before doing work that would end in a file. Returns the response's headers. */
  requireRoom(db: Executor, account_id: string): Promise<Record<string, string>>
  /** Reserves space for an upload before it is read. Throws 507. */
  reserve(db: Executor, account_id: string, announced: Announced): Promise<Reservation>
  /**
   * Whether the account has room for a file of that size: in the transaction that writes its row, where it makes others of the
   * account wait until its end.
   */
  hasRoom(tx: Tx, account_id: string, bytes: number): Promise<boolean>
  /** The same, for a request: throws 507. Returns the response's headers. */
  claim(tx: Tx, account_id: string, bytes: number): Promise<Record<string, string>>
}

/** The storage of all accounts. */
export function createStorage({
  limit_bytes,
  stored,
}: {
  limit_bytes: number
  stored: readonly StoredBytes[]
}): Storage {
  const reserved = new Map<string, number>()
  const reserve = (account_id: string, bytes: number) => {
    const total = (reserved.get(account_id) ?? 0) + bytes
    if (total > 0) reserved.set(account_id, total)
    else reserved.delete(account_id)
  }
  const used = async (db: Executor, account_id: string) => {
    let bytes = 0
    // one after the other, because a transaction has one connection
    for (const count of stored) bytes += await count(db, account_id)
    return bytes
  }
  const headers = (bytes: number) => ({
    'demarc-storage-limit': String(limit_bytes),
    'demarc-storage-used': String(bytes),
  })
  const full = (bytes: number) =>
    problem(
      'insufficient-storage',
      `The files of the account may have ${limit_bytes} bytes, of which ${bytes} are in use, and this one has more than the rest. Wait until files of exports or validations expire, or ask the operator for more.`,
      { headers: headers(bytes) },
    )
  const claim = async (db: Executor, account_id: string, bytes: number) => {
    const before = await used(db, account_id)
    const after = before + Math.max(bytes, storedBytes_min)
    if (after > limit_bytes) throw full(before)
    return after
  }
  return {
    room: async (db, account_id) => Math.max(0, limit_bytes - (await used(db, account_id))),
    requireRoom: async (db, account_id) => {
      const after = await claim(db, account_id, 0)
      return headers(after - storedBytes_min)
    },
    async reserve(db, account_id, { content_length, bytes_max }) {
      const before = await used(db, account_id)
      // no await between reading the reservations and adding to them
      const in_use = before + (reserved.get(account_id) ?? 0)
      const left = limit_bytes - in_use
      const announced = content_length === undefined ? storedBytes_min : Number(content_length)
      if (left < Math.max(announced, storedBytes_min)) throw full(in_use)
      const bytes = content_length === undefined ? Math.min(left, bytes_max) : announced
      reserve(account_id, bytes)
      return { bytes_max: bytes, exceeded: () => full(in_use), release: () => reserve(account_id, -bytes) }
    },
    async hasRoom(tx, account_id, bytes) {
      await lockStorage(tx, account_id)
      return (await used(tx, account_id)) + Math.max(bytes, storedBytes_min) <= limit_bytes
    },
    async claim(tx, account_id, bytes) {
      await lockStorage(tx, account_id)
      return headers(await claim(tx, account_id, bytes))
    },
  }
}

/** Until the end of the transaction no other counts the account's files in order to add one. */
async function lockStorage(tx: Tx, account_id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('storage', ${account_id}::bigint))`.execute(tx)
}
