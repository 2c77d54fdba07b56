import { takesIdempotencyKey, type Media, type Operation } from '../operation.ts'

/** What it takes to send an operation: no shapes, so that a bundle of the client needs no zod. */
export interface Endpoint {
  readonly id: string
  readonly method: Operation['method']
  /** With `{name}` for parameters. */
  readonly path: string
  readonly media: Media
  /** The response is a file or a stream. */
  readonly file?: true
  /** A change that is stored under its Idempotency-Key. */
  readonly keyed?: true
  /** May be sent again when it is not known whether it was done. */
  readonly repeatable?: true
  /** A list with `limit` and `offset`. */
  readonly paged?: true
  /** A health check: 503 is what it was asked for. */
  readonly probe?: true
}

/** What of an operation its sender has to know. */
export function endpointOf(operation: Operation): Endpoint {
  const { id, method, path, media, effect, feature, query } = operation
  const keyed = takesIdempotencyKey(operation) && effect !== 'read'
  const file = Object.values(operation.responses).some(({ body }) => body !== null && 'bytes' in body)
  // an operation that manages its transactions commits the key apart from the change
  const repeatable = effect === 'read' || method === 'PUT' || method === 'DELETE' || (keyed && effect === 'transaction')
  return {
    id,
    method,
    path,
    media,
    ...(file ? { file } : {}),
    ...(keyed ? { keyed } : {}),
    ...(repeatable ? { repeatable } : {}),
    ...(query && Object.hasOwn(query.shape, 'limit') ? { paged: true } : {}),
    ...(feature === 'health' ? { probe: true } : {}),
  }
}
