/** The typed client: methods, errors, retries, lists. */
export { createClient, type Client, type Entry, type ListMethod, type Method } from './create.ts'
export {
  ConnectionError,
  DemarcError,
  ResponseTimeoutError,
  type ErrorResponse,
  type FailedRequest,
  type FieldFinding,
} from './errors.ts'
export type { ClientOptions, RequestOptions } from './options.ts'
export * from './problem-errors.ts'
export type { ClientResponse } from './request.ts'
export type { RetryEvent, RetryOptions } from './retries.ts'
