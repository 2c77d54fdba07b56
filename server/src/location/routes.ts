import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import { location as api } from '@demarc/client'
import type { Validator } from '../engines/addresses/index.ts'
import { bind, type Routes } from '../platform/http/binding.ts'
import { readBody } from '../platform/http/input.ts'
import { problem } from '../platform/problem.ts'
import { respondByHeld, respondByLost } from './actions.ts'

/** Limit of a request, ten times the size of one with all address elements. */
const BODY_BYTES_MAX = 65_536
const BODY_TIMEOUT_MS = 15_000
/** A location is personal and may change at any time. */
const NOT_STORED = { 'cache-control': 'no-store' }

interface LocationServers {
  e911: Validator
  config: { location: { held: boolean; lost: boolean } }
}

export const locationRoutes =
  ({ e911: validator, config: { location } }: LocationServers): Routes =>
  (deps) => [
    bind(api.requestLocation, async ({ context, stream, headers }) => {
      if (!location.held) throw switchedOff('HELD')
      const text = await xmlOf(stream, headers)
      return { stream: await respondByHeld(context, text), content_type: api.heldType, headers: NOT_STORED }
    }),
    bind(api.requestEmergencyService, async ({ context, stream, headers }) => {
      if (!location.lost) throw switchedOff('LoST')
      const source = new URL(deps.public_url).hostname
      const text = await xmlOf(stream, headers)
      const response = await respondByLost(context, validator, source, text)
      return { stream: response, content_type: api.lostType, headers: NOT_STORED }
    }),
  ]

const switchedOff = (protocol: string) =>
  problem('not-found', `The ${protocol} server is disabled. The operator of the service can enable it.`)

/** The text of a request; undefined if it isn't UTF-8. */
async function xmlOf(stream: Readable, headers: IncomingHttpHeaders): Promise<string | undefined> {
  const bytes = await readBody(stream, headers, BODY_BYTES_MAX, BODY_TIMEOUT_MS)
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
