import type { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { Log } from '../../../platform/db.ts'
import { invalid, problem, type Problem } from '../../../platform/problem.ts'
import type { Warehouse } from '../types.ts'
import { Batches } from './batches.ts'
import { DamagedBody, decode, DecompressionBomb, type Received } from './decode.ts'
import type { Delivery } from './delivery.ts'
import type { LineErrors, RejectedLine } from './line-errors.ts'
import { LIMITS } from './limits.ts'
import { Lines, type Line } from './lines.ts'
import { openReader, type Entry, type Reader, type Source } from './reader.ts'
import { readRecord } from './record.ts'

/**
 * Bulk ingest of call records: body → bytes → lines → values → records → batches. Backpressure at each step bounds memory
 * regardless of the body's size. Valid lines are accepted even if others are rejected.
 */

export type IngestDependencies = {
  warehouse: Pick<Warehouse, 'insert'>
  /** Returns the ids that belong to existing accounts. */
  accountsExist: FindExistingAccounts
  log?: Log
  /** Receives the outcome of the body, even if it failed. */
  delivery?: Delivery
  /** How long to retry each batch while the store is unavailable. Default in limits.ts. */
  unavailable_ms?: number
  /** The same before anything is stored. Default in limits.ts. */
  first_unavailable_ms?: number
}

const defaultWaits = { unavailable_ms: LIMITS.unavailable_ms, first_unavailable_ms: LIMITS.first_unavailable_ms }

export type IngestInput = {
  /** Read to its end, freeing each chunk's memory. After a fatal error, the rest is discarded. Never destroyed. */
  stream: Readable
  /** `application/x-ndjson` or `text/csv`; parameters may follow. */
  content_type: string
  /** Content-Encoding: none, `gzip` or `zstd`. */
  content_encoding?: string
  /** Name of a mapping, for records in a switch's format. */
  mapping?: string
  /** The account of every record that does not name one. */
  account_id?: string
  signal?: AbortSignal
}

/** The three counts add up to the records in the body. `errors` has the first `LIMITS.errors` rejected lines. */
export type IngestReport = { accepted: number; duplicates: number; rejected: number; errors: RejectedLine[] }

/**
 * Parses call records and inserts the valid ones; everything counted as accepted is durable. A record whose account and id are
 * already stored is a duplicate and changes nothing, so any ingest can be repeated in whole or in part.
 *
 * Throws 415 for an unsupported type or encoding; 422 for an invalid mapping, account or CSV header, before inserting anything;
 * 400 for a corrupt compressed body and 413 for one that unpacks far more than call records do, after inserting the records
 * before that point; DependencyUnavailable (503) if the store stays unavailable; and stream errors.
 */
export async function ingestCdrs(dependencies: IngestDependencies, input: IngestInput): Promise<IngestReport> {
  const { body, ingest, received } = await open(dependencies, input)
  const lines = new Lines()
  let line_count = 0
  try {
    let began = performance.now()
    for await (const chunk of body) {
      for (const some of slices(lines.take(chunk))) {
        input.signal?.throwIfAborted()
        if (line_count + some.length > LIMITS.lines_free + LIMITS.lines_per_byte * received.bytes)
          throw new DecompressionBomb(`has more than ${LIMITS.lines_per_byte} lines per compressed byte`)
        await ingest.take(some)
        line_count += some.length
        if (performance.now() - began < LIMITS.slice_ms) continue
        await turn()
        began = performance.now()
      }
    }
    await ingest.end(lines.end())
    return await ingest.finish()
  } catch (error) {
    if (error instanceof DamagedBody) throw damagedBody(error, line_count, await ingest.finish())
    if (error instanceof DecompressionBomb) throw tooFarUnpacked(error, line_count, await ingest.finish())
    throw error
  } finally {
    await ingest.close()
    ingest.describe(received.bytes)
  }
}

function* slices(lines: readonly Line[]): Generator<readonly Line[]> {
  for (let at = 0; at < lines.length; at += LIMITS.slice_lines) yield lines.slice(at, at + LIMITS.slice_lines)
}

/** Performs every check that does not need the body. */
async function open(dependencies: IngestDependencies, input: IngestInput) {
  try {
    const reader = openReader(input)
    const received: Received = { bytes: 0 }
    const body = decode(input.stream, input.content_encoding, received)
    const ingest = new Ingest(reader, dependencies, input)
    await ingest.checkAccount().catch(async (error: unknown) => {
      await ingest.close()
      throw error
    })
    return { body, ingest, received }
  } catch (error) {
    input.stream.resume()
    throw error
  }
}

class Ingest {
  readonly #reader: Reader
  readonly #accounts: Accounts
  readonly #account_id: string | undefined
  readonly #batches: Batches
  #rejected = 0
  readonly #errors: RejectedLine[] = []
  readonly #delivery: Delivery | undefined

  constructor(
    reader: Reader,
    { warehouse, accountsExist, log, delivery, ...waits }: IngestDependencies,
    { account_id, signal }: IngestInput,
  ) {
    this.#reader = reader
    this.#accounts = new Accounts(accountsExist)
    this.#account_id = account_id
    this.#delivery = delivery
    this.#batches = new Batches({ warehouse, log, signal, ...defaultWaits, ...waits })
  }

  async checkAccount(): Promise<void> {
    if (this.#account_id === undefined) return
    await this.#accounts.load(new Set([this.#account_id]))
    if (!this.#accounts.exists(this.#account_id)) throw invalid({ account_id: [UNKNOWN_ACCOUNT] })
  }

  /** Reads lines and adds their records in order. */
  take(lines: readonly Line[]): Promise<void> {
    return this.#add(this.#reader.take(lines))
  }

  /** Reads the last lines of the body. */
  async end(lines: readonly Line[]): Promise<void> {
    await this.take(lines)
    await this.#add(this.#reader.flush())
  }

  async #add(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return
    const records = entries.map((entry) => entry.values && this.#read(entry.values, entry))
    const named = new Set<string>()
    for (const record of records) if (record !== undefined && record.account_id !== '') named.add(record.account_id)
    await this.#accounts.load(named)
    for (const [at, { line, errors, source }] of entries.entries()) {
      const record = records[at]
      if (record !== undefined && record.account_id !== '' && !this.#accounts.exists(record.account_id))
        errors.add('account_id', UNKNOWN_ACCOUNT)
      if (record === undefined || errors.any) {
        this.#reject(line, errors, source)
        continue
      }
      this.#seen(record.end_time)
      const wait = this.#batches.add(record)
      if (wait !== undefined) await wait
    }
  }

  #read(values: NonNullable<Entry['values']>, { errors }: Entry) {
    if (this.#account_id === undefined) return readRecord(values, errors)
    const { account_id } = values
    if (account_id === undefined || account_id === null || account_id === '') values.account_id = this.#account_id
    else if (JSON.stringify(account_id).replaceAll('"', '') !== this.#account_id)
      errors.add('account_id', `Must be ${this.#account_id}, the account in the request.`)
    return readRecord(values, errors)
  }

  #seen(end_time: Date): void {
    const delivery = this.#delivery
    if (delivery && (delivery.newest_call_at === null || end_time > delivery.newest_call_at))
      delivery.newest_call_at = end_time
  }

  #reject(line: number, errors: LineErrors, source: Source): void {
    this.#rejected += 1
    this.#delivery?.refuse(line, errors, source)
    if (this.#errors.length < LIMITS.errors) this.#errors.push({ line, messages: errors.messages() })
  }

  async finish(): Promise<IngestReport> {
    await this.#batches.flush()
    return { ...this.#batches.outcome, rejected: this.#rejected, errors: this.#errors }
  }

  describe(bytes: number): void {
    if (this.#delivery) Object.assign(this.#delivery, { ...this.#batches.outcome, rejected: this.#rejected, bytes })
  }

  /** Resolves when no insert is in progress. */
  close(): Promise<void> {
    return this.#batches.close()
  }
}

const UNKNOWN_ACCOUNT = 'Is not an existing account.'

function damagedBody(
  { encoding, after_bytes, cause, message }: DamagedBody,
  lines: number,
  report: IngestReport,
): Problem {
  return problem(
    'malformed-request',
    `The ${encoding} body is damaged or cut off after ${after_bytes} bytes and ${lines} lines (${message}). ` +
      `${soFar(report)} Send the whole body again; records already accepted will count as duplicates.`,
    { cause },
  )
}

function tooFarUnpacked(cause: DecompressionBomb, lines: number, report: IngestReport): Problem {
  return problem(
    'payload-too-large',
    `The compressed body ${cause.message}, which call records never do. It was read up to line ${lines}. ` +
      `${soFar(report)} Send the rest without compression.`,
    { cause },
  )
}

const soFar = ({ accepted, duplicates, rejected }: IngestReport): string =>
  `Of these lines ${accepted} were accepted, ${duplicates} were duplicates, and ${rejected} were rejected.`

/** Caches which accounts exist, for one ingest. */

type FindExistingAccounts = (ids: string[]) => Promise<Set<string>>

class Accounts {
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
