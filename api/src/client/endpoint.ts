import { needsSession, takesIdempotencyKey, type Media, type Operation } from '../operation.ts'

/** The facts needed to send an operation, without schemas, so that a bundle of the client doesn't include zod. */
export interface Endpoint {
  /** ID of the operation. */
  readonly id: string
  readonly method: Operation['method']
  /** With `{name}` for parameters. */
  readonly path: string
  readonly media: Media
  readonly traits: ReadonlySet<Trait>
}

/**
 * `file`: the response is a file or a stream. `keyed`: the change is stored under its Idempotency-Key. `repeatable`: can be
 * sent again if its outcome is unknown. `paged`: a list with `limit` and `offset`. `probe`: a health check, which may return
 * 503. `session`: access keys are rejected.
 */
export type Trait = 'file' | 'keyed' | 'repeatable' | 'paged' | 'probe' | 'session'

/** The facts about an operation that are needed to send it. */
export function endpointOf(operation: Operation): Endpoint {
  const { id, method, path, media, effect, feature, query } = operation
  const keyed = takesIdempotencyKey(operation) && effect !== 'read'
  const traits: Record<Trait, boolean> = {
    file: Object.values(operation.responses).some(({ body }) => body !== null && 'bytes' in body),
    keyed,
    // an operation that manages its own transactions commits the key separately from the change
    repeatable:
      effect === 'read' ||
      method === 'PUT' ||
      method === 'DELETE' ||
      (keyed && effect === 'transaction') ||
      operation.repeatable === true,
    paged: query !== undefined && Object.hasOwn(query.shape, 'limit'),
    probe: feature === 'health',
    session: needsSession(operation),
  }
  const has = ([, value]: [string, boolean]) => value
  return { id, method, path, media, traits: new Set(Object.entries(traits).filter(has).map(traitOf)) }
}

/** The keys are those of the record above. */
const traitOf = ([name]: [string, boolean]) => name as Trait

/** The endpoint in a line: `GET /v2/numbers/{number} jsonapi repeatable`. */
export const endpointText = ({ method, path, media, traits }: Endpoint): string =>
  [method, path, media, ...traits].join(' ')

/** The endpoint of such a line. */
export function endpointIn(id: string, line: string): Endpoint {
  const [method, path, media, ...traits] = line.split(' ')
  // a line that endpointText wrote
  return { id, method, path, media, traits: new Set(traits) } as Endpoint
}
