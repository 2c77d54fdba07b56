export { cidrError } from './addresses.ts'
export { FAILURE_CODES, OutboundError } from './failures.ts'
export type { Failure, FailureCode, Refusal } from './failures.ts'
export { createOutbound } from './outbound.ts'
export type {
  Failed,
  GetResponse,
  GetRequest,
  Outbound,
  OutboundOptions,
  PostResponse,
  PostRequest,
  Resolve,
} from './outbound.ts'
export { MAX_URL_CHARACTERS, withoutQuery } from './url.ts'
