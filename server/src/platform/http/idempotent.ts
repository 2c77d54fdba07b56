import { type Readable, Transform, type TransformCallback } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Context, Deps } from '../context.ts'
import { inTransaction, type Executor } from '../db.ts'
import {
  claimKey,
  lease_s,
  findResponse,
  openResponse,
  releaseClaim,
  requestDigest,
  startLeaseRenewal,
  storeResponse,
  type Claim,
  type SealedResponse,
  type StoredResponse,
} from '../idempotency.ts'
import { withPrepared, type Binding, type OperationRequest, type OperationResponse } from './binding.ts'
import type { Operation } from '@demarc/client'
import { createHash } from 'node:crypto'

export type Outcome = { response: OperationResponse<Operation> } | { replay: StoredResponse }

/**
 * Serves a request with an Idempotency-Key: runs the effect once and replays the first response for each retry. An operation
 * that manages its own transactions holds no connection meanwhile, because a stream may take an hour. If the process dies, its
 * key can be reused after the lease expires, so the operation itself must be idempotent.
 */
export async function serveIdempotent(
  deps: Deps,
  binding: Binding,
  claim: Claim,
  request: FastifyRequest,
  body: Buffer,
  toRequest: (tx: Context['tx'], stream: Readable) => OperationRequest<Operation>,
): Promise<Outcome> {
  const { operation, handle, status } = binding
  const streamed = operation.body !== undefined && !(operation.body instanceof z.ZodType)
  const hashed = streamed ? new HashedStream(request.raw) : null
  const digest = async () =>
    requestDigest(claim.actor, request.method, request.url, hashed ? await hashed.drain() : body)
  const first = async (tx: Executor, prepared?: unknown): Promise<Outcome> => {
    const response = await handle(toRequest(tx, hashed ?? request.raw), prepared)
    await storeResponse(tx, deps.vault, claim, await digest(), {
      status: response.status ?? status,
      body: 'body' in response && response.body !== undefined ? JSON.stringify(response.body) : '',
    })
    return { response }
  }
  const replay = async (stored: SealedResponse): Promise<Outcome> => ({
    replay: openResponse(stored, deps.vault, claim, await digest()),
  })
  if (operation.effect === 'transaction') {
    // on a retry, `prepare` may fail because the first request already succeeded
    const replayDone = async () => {
      const done = binding.prepare ? await findResponse(deps.db, claim) : null
      return done && (await replay(done))
    }
    const done = await replayDone()
    if (done) return done
    try {
      return await withPrepared(binding, toRequest(deps.db, hashed ?? request.raw), (prepared) =>
        inTransaction(deps.db, async (tx) => {
          const stored = await claimKey(tx, claim)
          return stored ? await replay(stored) : await first(tx, prepared)
        }),
      )
    } catch (error) {
      // the first request may have committed just now and caused this error
      const done_meanwhile = await replayDone()
      if (done_meanwhile) return done_meanwhile
      throw error
    }
  }
  const stored = await inTransaction(deps.db, (tx) => claimKey(tx, claim, { lease_s }))
  if (stored) return await replay(stored)
  const stopRenewal = startLeaseRenewal(deps.db, claim, deps.log)
  try {
    return await first(deps.db)
  } catch (error) {
    await releaseClaim(deps.db, claim, deps.log)
    throw error
  } finally {
    stopRenewal()
  }
}

/** Passes a request body through and hashes it, to fingerprint a streamed request. */
export class HashedStream extends Transform {
  readonly #hash = createHash('sha256')

  constructor(source: Readable) {
    super()
    source.on('error', (error) => this.destroy(error))
    // the body may end early while its key is being claimed, before the reader listens for errors; the reader still gets the error
    this.on('error', () => undefined)
    const unlessComplete = () => {
      if (!source.readableEnded)
        this.destroy(source.errored ?? new Error('the client disconnected before the request was complete'))
    }
    // a client that disconnected while its key was being checked emits nothing more, and its request would never end
    if (source.destroyed) unlessComplete()
    source.on('close', unlessComplete)
    source.pipe(this)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    done(null, chunk)
  }

  /** The digest of the bytes so far. Call it after the end. */
  digest(): Buffer {
    return this.#hash.copy().digest()
  }

  /** Discards the rest and returns the digest of the whole body. */
  async drain(): Promise<Buffer> {
    for await (const _ of this) void _
    return this.digest()
  }
}
