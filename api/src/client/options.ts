import type { RetryEvent, RetryOptions } from './retries.ts'

/** Where the service is, who the client is, and how it behaves. */
export interface ClientOptions {
  /** The service's URL, without the version: `http://127.0.0.1:8911`. */
  base_url: string
  /** Without them only operations that need no key can be used. */
  credentials?: { access_key: string; secret_key: string }
  /**
   * In place of credentials, in a browser where a person is signed in: their session, which is in a cookie. The CSRF token is that
   * of `getSession`, null while nobody is signed in; the account is the one to act for.
   */
  session?: { csrf_token: () => string | null; account_id?: () => string | null }
  /** Operator keys only: act within this account. */
  account_id?: string
  /** In place of the platform's own. */
  fetch?: typeof fetch
  /**
   * How long one attempt may take, milliseconds, to the end of a JSON response or the beginning of a file; 0: no limit. Default 60,000;
   * no limit where the body is a file, because its time depends on its size.
   */
  timeout_ms?: number
  /** How a request is sent again when that is safe; false: never, and no Idempotency-Key is made. */
  retry?: RetryOptions | false
  /** Called before each wait for another attempt. */
  on_retry?: (event: RetryEvent) => void
}

/** What one request may have of its own. */
export interface RequestOptions {
  headers?: Record<string, string>
  /** Makes a POST or PATCH safe to send again; stored by the service for 24 hours. One is made where none is given. */
  idempotency_key?: string
  /** Ends the request, its retries and its waits; the method throws the signal's reason. */
  signal?: AbortSignal
  /** In place of the client's. */
  timeout_ms?: number
  /** In place of the client's. */
  retry?: RetryOptions | false
}

/** The union of all inputs, which `Client` declares exactly for each method. */
export interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  content_type?: string
  content_encoding?: string
}
