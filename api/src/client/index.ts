/** The typed client: methods, errors, retries, lists. It doesn't need zod at run time. */
export { createClient, type Client, type Entry, type ListMethod, type Method } from './create.ts'
export { createDemarcClient, endpointNamed, requestPath, type DemarcClient } from './demarc.ts'
export { endpointOf, endpointText, type Endpoint, type Trait } from './endpoint.ts'
export {
  ConnectionError,
  DemarcError,
  ResponseTimeoutError,
  UnreadableResponseError,
  type ErrorResponse,
  type FailedRequest,
  type FieldFinding,
} from './errors.ts'
export type { ClientOptions, RequestOptions } from './options.ts'
export * from './problem-errors.ts'
export { errorsOf, type ClientResponse } from './request.ts'
export type { RetryEvent, RetryOptions } from './retries.ts'
export { downloadExport, NoExportFileError, type Download } from './downloads.ts'
export { ChecksumError, type DownloadOptions, type DownloadProgress } from './verified-bytes.ts'
export * from './waiting.ts'
export {
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
  type PortOrder,
  type SignedWebhook,
  type TestEvent,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRefusal,
} from './webhooks.ts'
