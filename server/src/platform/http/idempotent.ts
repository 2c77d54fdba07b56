import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Context, Deps } from '../context.ts'
import { inTransaction, type Executor } from '../db.ts'
import {
  answerOf,
  claimKey,
  fingerprint,
  forgetClaim,
  keepAnswer,
  keepHolding,
  lease_s,
  type Claim,
  type KeptAnswer,
  type StoredAnswer,
} from '../idempotency.ts'
import type { Answer, Binding, Call } from './binding.ts'
import type { Operation } from '@demarc/client'
import { HashedStream } from './hashed-stream.ts'

export type Outcome = { answer: Answer<Operation> } | { replay: StoredAnswer }

/**
 * With an Idempotency-Key: the effect once, its first answer again for every repetition. An operation that manages its own
 * transactions holds no connection meanwhile, as a stream may take an hour; should the process die, its key is free again
 * after the lease, so such an operation must itself be safe to repeat.
 */
export async function serveOnce(
  deps: Deps,
  { operation, handle, status }: Binding,
  claim: Claim,
  request: FastifyRequest,
  body: Buffer,
  call: (tx: Context['tx'], stream: Readable) => Call<Operation>,
): Promise<Outcome> {
  const streamed = operation.body !== undefined && !(operation.body instanceof z.ZodType)
  const hashed = streamed ? new HashedStream(request.raw) : null
  const print = async () => fingerprint(claim.actor, request.method, request.url, hashed ? await hashed.drain() : body)
  const first = async (tx: Executor): Promise<Outcome> => {
    const answer = await handle(call(tx, hashed ?? request.raw))
    await keepAnswer(tx, deps.vault, claim, await print(), {
      status: answer.status ?? status,
      body: 'body' in answer && answer.body !== undefined ? JSON.stringify(answer.body) : '',
    })
    return { answer }
  }
  const again = async (kept: KeptAnswer): Promise<Outcome> => ({
    replay: answerOf(kept, deps.vault, claim, await print()),
  })
  if (operation.effect === 'transaction')
    return await inTransaction(deps.db, async (tx) => {
      const kept = await claimKey(tx, claim)
      return kept ? await again(kept) : await first(tx)
    })
  const kept = await inTransaction(deps.db, (tx) => claimKey(tx, claim, { held_s: lease_s }))
  if (kept) return await again(kept)
  const letGo = keepHolding(deps.db, claim, deps.log)
  try {
    return await first(deps.db)
  } catch (error) {
    await forgetClaim(deps.db, claim)
    throw error
  } finally {
    letGo()
  }
}
