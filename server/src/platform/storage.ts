import { sql } from 'kysely'
import type { Db, Executor, Log, Tx } from './db.ts'
import { acquirePermit } from './permits.ts'
import { problem, type Problem } from './problem.ts'
import { storedBytes_min } from './rows.ts'

/**
 * Storage limits for an account's files. Usage is counted from the rows that refer to them, so it is correct after any crash.
 * Uploads in progress hold permits, so that concurrent ones don't fill the disk with files that are then refused.
 */

/** The bytes that an account's rows refer to. Every feature that stores files for accounts provides one. */
export type StoredBytes = (db: Executor, account_id: string) => Promise<number>

/** Reserved space for a file that is being received. */
export interface Reservation {
  /** The most bytes that may be received. */
  bytes_max: number
  /** The problem for a file that is larger than declared. */
  exceeded: () => Problem
  /** Always call it, once the file is stored or abandoned. */
  release: () => Promise<void>
}

/** A file to be received: its length if the client declared it, and the largest accepted size. */
export interface Announced {
  content_length: string | undefined
  bytes_max: number
}

export interface Storage {
  /** How many more bytes the account may store, according to its rows. Never negative. */
  room(db: Executor, account_id: string): Promise<number>
  /** Throws 507 if the account is at its limit, before doing work that would end in a file. Returns the response's headers. */
  requireRoom(db: Executor, account_id: string): Promise<Record<string, string>>
  /**
   * Reserves space for an upload before it is read, against uploads in all processes. Throws 507. The reservation ends after
   * ten minutes: a longer upload is still compared with the limit when its row is written, and a killed process's uploads keep
   * the account from using that space until then.
   */
  reserve(db: Db, account_id: string, announced: Announced): Promise<Reservation>
  /**
   * Whether the account has room for a file of this size. Call it in the transaction that writes the file's row; other
   * transactions of the account then wait for its end.
   */
  hasRoom(tx: Tx, account_id: string, bytes: number): Promise<boolean>
  /** The same, for a request: throws 507. Returns the response's headers. */
  claim(tx: Tx, account_id: string, bytes: number): Promise<Record<string, string>>
}

const reservation_s = 600

export function createStorage({
  limit_bytes,
  stored,
  log,
}: {
  limit_bytes: number
  stored: readonly StoredBytes[]
  log: Log
}): Storage {
  const used = async (db: Executor, account_id: string) => {
    let bytes = 0
    // sequentially, because a transaction has one connection
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
      `The account’s files may take up ${limit_bytes} bytes. ${bytes} are in use, so this file does not fit. Wait until files of exports or validations expire, or ask the operator for more storage.`,
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
      const limit = { name: `storage ${account_id}`, at_most: Math.max(0, limit_bytes - before) }
      const announced = content_length === undefined ? storedBytes_min : Number(content_length)
      const permit = await acquirePermit({ db, log }, [limit], {
        least: Math.max(announced, storedBytes_min),
        most: content_length === undefined ? bytes_max : Math.max(announced, storedBytes_min),
        lease_s: reservation_s,
      })
      const in_use = before + permit.held
      if ('full' in permit) throw full(in_use)
      const received_max = content_length === undefined ? permit.amount : announced
      return { bytes_max: received_max, exceeded: () => full(in_use), release: permit.release }
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
