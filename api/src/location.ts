import { operation } from './declare.ts'

/** The location server for next-generation 911. Requests and responses are XML as defined by their RFCs. */

const common = {
  feature: 'e911s',
  media: 'json',
  principals: ['account', 'operator'],
  access: 'read',
  problems: ['not-found', 'payload-too-large', 'request-timeout'],
  effect: 'read',
} as const

export const heldType = 'application/held+xml'
export const lostType = 'application/lost+xml'

export const requestLocation = operation({
  ...common,
  id: 'requestLocation',
  summary: 'Request the location of a number (HELD)',
  description:
    'Send a `locationRequest` (RFC 5985) with one of the account’s numbers as its device (RFC 6155), a `tel:` or `sip:` URI. The response is a `locationResponse` with the number’s emergency address as PIDF-LO, or an `error` with its code. The response is 404 unless the operator has enabled the location server.',
  endpoint: 'POST /held',
  body: { bytes: [heldType] },
  responses: { 200: { description: 'A `locationResponse` or an `error`.', body: { bytes: [heldType] } } },
})

export const requestEmergencyService = operation({
  ...common,
  id: 'requestEmergencyService',
  summary: 'Find who answers 911 calls from a civic address (LoST)',
  description:
    'Send `findService`, `listServices`, or `listServicesByLocation` (RFC 5222). `findService` with `validateLocation="true"` also lists which elements of the address are valid. The response matches the request, or is `errors`. The response is 404 unless the operator has enabled the location server.',
  endpoint: 'POST /lost',
  body: { bytes: [lostType] },
  responses: { 200: { description: 'The response to the request, or `errors`.', body: { bytes: [lostType] } } },
})
