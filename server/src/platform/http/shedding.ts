import { randomUUID } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { mediaTypes } from '@demarc/client'
import { problemResponse } from '../problem.ts'
import { tooManyRequests } from '../unavailable.ts'

/** What checks on the service, and must not be told that it has too much to do; and the documentation, which waits for nothing. */
const exempt = /^\/(health\/|metrics$|openapi\.json|docs)/

/**
 * Refuses requests while `isOverloaded`, before anything is done for them: one that is refused costs a tenth of one that is served, and
 * those that are accepted are served soon.
 */
export function shedding(
  listener: RequestListener,
  isOverloaded: () => boolean,
  onRefused: () => void,
): RequestListener {
  return (request, response) => {
    if (!isOverloaded() || exempt.test(request.url ?? '')) return listener(request, response)
    onRefused()
    refuse(response)
  }
}

function refuse(response: ServerResponse): void {
  const refusal = tooManyRequests()
  const { status, body } = problemResponse(refusal)
  response.writeHead(status, {
    'content-type': mediaTypes.json,
    'x-request-id': randomUUID(),
    ...refusal.options.headers,
  })
  response.end(JSON.stringify(body))
}
