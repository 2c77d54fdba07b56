import { readFileSync } from 'node:fs'
import { prepareResponse, type PreparedResponse } from '../platform/http/prepared.ts'

/**
 * The OpenAPI document of every operation: the file that `npm run check` generates, because generating it takes as long as
 * starting the database. Its server is the one it is read from.
 */
export function apiDescription(): PreparedResponse {
  const derived: object = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
  return prepareResponse(JSON.stringify({ ...derived, servers: [{ url: '/' }] }), 'application/json')
}
