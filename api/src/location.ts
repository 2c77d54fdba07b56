import { operation } from './operation.ts'

/** The location server of next-generation 911. Its requests and responses are XML, in the words of their RFCs. */

const common = {
  feature: 'e911s',
  media: 'json',
  principals: ['account', 'operator'],
  method: 'POST',
  access: 'read',
  problems: ['not-found', 'payload-too-large', 'request-timeout'],
  effect: 'read',
} as const

export const heldType = 'application/held+xml'
export const lostType = 'application/lost+xml'

export const requestLocation = operation({
  ...common,
  id: 'requestLocation',
  summary: 'Ask for the location of a number, by HELD',
  description:
    'RFC 5985: a `locationRequest` whose device (RFC 6155) is a number of the account, as a `tel:` or `sip:` URI. The response is a `locationResponse` with the emergency address of the number as PIDF-LO, or an `error` with its code. 404 unless the operator has switched it on.',
  path: '/held',
  body: { bytes: [heldType] },
  responses: { 200: { description: 'A `locationResponse` or an `error`.', body: { bytes: [heldType] } } },
})

export const requestEmergencyService = operation({
  ...common,
  id: 'requestEmergencyService',
  summary: 'Ask who answers 911 calls from a civic address, by LoST',
  description:
    'RFC 5222: `findService`, with `validateLocation="true"` also which elements of the address are valid; `listServices` and `listServicesByLocation`. The response is that of the request, or `errors`. 404 unless the operator has switched it on.',
  path: '/lost',
  body: { bytes: [lostType] },
  responses: { 200: { description: 'The response to the request, or `errors`.', body: { bytes: [lostType] } } },
})
