import { openapi, operations } from '@demarc/client'
import { prepareResponse, type PreparedResponse } from '../platform/http/prepared.ts'
import { version } from './version.ts'

interface Description {
  document: ReturnType<typeof openapi>
  response: PreparedResponse
}

let description: Description | undefined

/** The OpenAPI description of every operation. Made at the first call, which takes some tenths of a second. */
export function apiDescription(): Description {
  if (description === undefined) {
    const document = openapi(operations, { version, server_url: '/' })
    description = { document, response: prepareResponse(JSON.stringify(document), 'application/json') }
  }
  return description
}
