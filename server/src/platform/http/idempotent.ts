import type { Readable } from 'node:stream'
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
import { HashedStream } from './hashed-stream.ts'

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
    await releaseClaim(deps.db, claim).catch((err: unknown) =>
      deps.log.warn({ err }, 'could not release an idempotency key; its lease will expire'),
    )
    throw error
  } finally {
    stopRenewal()
  }
}
