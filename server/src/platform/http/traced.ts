import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '@demarc/client'
import { noAccount, type Actor } from '../actor.ts'
import { currentSpan, startRequestSpan, withSpan, type StartedSpan } from '../traces/index.ts'

const spans = new WeakMap<FastifyRequest, StartedSpan>()

/**
 * Runs the handler of an operation in a span that ends with the response, and names the trace in a header. Health checks have
 * none: they would be most of all traces.
 */
export function traced<T>(
  { id, method, path, feature }: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => T,
): T {
  if (feature === 'health') return handle()
  const span = startRequestSpan(
    `${method} ${path}`,
    {
      'http.request.method': request.method,
      'http.route': path,
      'demarc.operation': id,
      'demarc.request_id': request.id,
    },
    request.headers['traceparent']?.toString() ?? null,
  )
  if (span === undefined) return handle()
  spans.set(request, span)
  reply.header('x-trace-id', span.trace_id)
  // also emitted for a client that disconnects
  reply.raw.once('close', () => end(span, reply))
  return withSpan(span, handle)
}

function end(span: StartedSpan, reply: FastifyReply): void {
  const { statusCode } = reply.raw
  span.set({ 'http.response.status_code': statusCode })
  if (!reply.raw.writableFinished) span.fail('client_disconnected')
  else if (statusCode >= 500) span.fail(String(statusCode))
  span.end()
}

/** Runs `work` as part of the request's span, where its own context is lost. */
export const inSpanOf = <T>(request: FastifyRequest, work: () => T): T => withSpan(spans.get(request), work)

/** Adds who sends the request to its span: ids only. */
export function recordActor(actor: Actor | null): void {
  if (actor === null) return
  const { kind, account_id } = actor
  const known = account_id !== null && account_id !== noAccount
  currentSpan()?.set({ 'demarc.actor': kind, ...(known && { 'demarc.account_id': account_id }) })
}
