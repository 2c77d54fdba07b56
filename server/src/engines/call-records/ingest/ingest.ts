/**
 * Bulk ingest of call records: body → bytes → lines → values → records → batches, each step taking from the one before no faster than it can
 * go on, so that memory stays flat whatever the body's size. Good lines are kept whatever the others are like.
 */

import type { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { Log } from '../../../platform/db.ts'
import { invalid, problem, type Problem } from '../../../platform/problem.ts'
import type { Warehouse } from '../types.ts'
import { Accounts, type AccountsExist } from './accounts.ts'
import { Batches } from './batches.ts'
import { DamagedBody, decode } from './decode.ts'
import type { Refusal } from './faults.ts'
import { LIMITS } from './limits.ts'
import { Lines } from './lines.ts'
import { openReader, type Entry } from './reader.ts'
import { readRecord } from './record.ts'

export type IngestParts = {
  warehouse: Pick<Warehouse, 'insert'>
  /** Those of the ids that are accounts. */
  accountsExist: AccountsExist
  log?: Log
  /** How long to wait for a store that is away, per batch. Default in limits.ts. */
  unavailable_ms?: number
}

export type IngestInput = {
  /** Read to its end; after a fault that ends the ingest the rest goes by unread. Never destroyed. */
  stream: Readable
  /** `application/x-ndjson` or `text/csv`; parameters may follow. */
  content_type: string
  /** The Content-Encoding: none, `gzip` or `zstd`. */
  content_encoding?: string
  /** Name of a mapping, for records as a switch writes them. */
  mapping?: string
  /** The account of every record that does not name one. */
  account_id?: string
  signal?: AbortSignal
}

/** What became of the records: the three counts add up to those that were there. The first `LIMITS.errors` refusals are explained. */
export type IngestReport = { accepted: number; duplicates: number; rejected: number; errors: Refusal[] }

/**
 * Reads call records and writes those that are right; everything counted as accepted is durable. A record that is there already, by its
 * account and id, is a duplicate and changes nothing, so any ingest may be repeated whole or in part.
 *
 * Throws 415 for a type or encoding that is not read; 422 for a mapping, account or CSV header that is not right, before anything is
 * written; 400 for a compressed body that is damaged, after what came before the damage was written; PartUnavailable (503) when the store
 * stays away; and what the stream itself breaks with.
 */
export async function ingestCdrs(parts: IngestParts, input: IngestInput): Promise<IngestReport> {
  const { reader, body, ingest } = await open(parts, input)
  const lines = new Lines()
  try {
    let began = performance.now()
    for await (const piece of body) {
      input.signal?.throwIfAborted()
      await ingest.add(reader.take(lines.take(piece)), piece.length)
      if (performance.now() - began < LIMITS.slice_ms) continue
      await turn()
      began = performance.now()
    }
    await ingest.add([...reader.take(lines.end()), ...reader.end()], 0)
    return await ingest.finish()
  } catch (error) {
    if (!(error instanceof DamagedBody)) throw error
    throw damaged(error, lines.count, await ingest.finish())
  } finally {
    await ingest.settle()
  }
}

/** Whatever can be refused before the body is read. */
async function open(parts: IngestParts, input: IngestInput) {
  try {
    const reader = openReader(input)
    const body = decode(input.stream, input.content_encoding)
    const ingest = new Ingest(parts, input)
    await ingest.checkAccount()
    return { reader, body, ingest }
  } catch (error) {
    input.stream.resume()
    throw error
  }
}

class Ingest {
  readonly #accounts: Accounts
  readonly #account_id: string | undefined
  readonly #batches: Batches
  /** Read since the last records. */
  #bytes = 0
  #rejected = 0
  readonly #errors: Refusal[] = []

  constructor({ warehouse, accountsExist, log, unavailable_ms }: IngestParts, { account_id, signal }: IngestInput) {
    this.#accounts = new Accounts(accountsExist)
    this.#account_id = account_id
    this.#batches = new Batches({ warehouse, log, signal, unavailable_ms: unavailable_ms ?? LIMITS.unavailable_ms })
  }

  async checkAccount(): Promise<void> {
    if (this.#account_id === undefined) return
    await this.#accounts.learn(new Set([this.#account_id]))
    if (!this.#accounts.exists(this.#account_id)) throw invalid({ account_id: [NO_ACCOUNT] })
  }

  /** Takes the records that one piece of `bytes` bytes completed. */
  async add(entries: readonly Entry[], bytes: number): Promise<void> {
    this.#bytes += bytes
    if (entries.length === 0) return
    const bytes_each = this.#bytes / entries.length
    this.#bytes = 0
    const read = entries.map((entry) => ({ ...entry, record: entry.values && this.#read(entry.values, entry) }))
    const named = new Set<string>()
    for (const { record } of read) if (record !== undefined && record.account_id !== '') named.add(record.account_id)
    await this.#accounts.learn(named)
    for (const { line, faults, record } of read) {
      if (record !== undefined && record.account_id !== '' && !this.#accounts.exists(record.account_id))
        faults.add('account_id', NO_ACCOUNT)
      if (record === undefined || faults.any) this.#reject({ line, messages: faults.messages() })
      else await this.#batches.add(record, bytes_each)
    }
  }

  #read(values: NonNullable<Entry['values']>, { faults }: Entry) {
    if (this.#account_id === undefined) return readRecord(values, faults)
    const { account_id } = values
    if (account_id === undefined || account_id === null || account_id === '') values.account_id = this.#account_id
    else if (JSON.stringify(account_id).replaceAll('"', '') !== this.#account_id)
      faults.add('account_id', `Is not ${this.#account_id}, which the request names.`)
    return readRecord(values, faults)
  }

  #reject(refusal: Refusal): void {
    this.#rejected += 1
    if (this.#errors.length < LIMITS.errors) this.#errors.push(refusal)
  }

  async finish(): Promise<IngestReport> {
    await this.#batches.flush()
    return { ...this.#batches.outcome, rejected: this.#rejected, errors: this.#errors }
  }

  settle(): Promise<void> {
    return this.#batches.settle()
  }
}

const NO_ACCOUNT = 'There is no such account.'

function damaged({ encoding, after_bytes, cause, message }: DamagedBody, lines: number, report: IngestReport): Problem {
  const { accepted, duplicates, rejected } = report
  return problem(
    'malformed-request',
    `The ${encoding} body is damaged or cut off after ${after_bytes} bytes and ${lines} lines (${message}). ` +
      `Of these lines ${accepted} were accepted, ${duplicates} were duplicates and ${rejected} were refused. ` +
      'Send the whole again: what was accepted will count as duplicates.',
    { cause },
  )
}
