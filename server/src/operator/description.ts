import { readFileSync } from 'node:fs'
import { prepareResponse, type PreparedResponse } from '../platform/http/prepared.ts'

/**
 * The OpenAPI document of every operation: the file that `npm run check` generates, because generating it takes as long as
 * starting the database. Its server is the one it is read from.
 */
export function apiDescription(): { document: object; response: PreparedResponse } {
  const derived: object = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
  const document = { ...derived, servers: [{ url: '/' }] }
  return { document, response: prepareResponse(JSON.stringify(document), 'application/json') }
}
