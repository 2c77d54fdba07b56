import type { RetryEvent, RetryOptions } from './retries.ts'

/** The service's URL, credentials, and behavior of the client. */
export interface ClientOptions {
  /** The service's URL without the API version: `http://127.0.0.1:8911`. */
  base_url: string
  /** Without credentials, only operations that need no key work. */
  credentials?: { access_key: string; secret_key: string }
  /**
   * Replaces credentials in a browser with a signed-in person: uses the session cookie. The CSRF token is the one from
   * `getSession`, null if no one is signed in. The account is the one to act for.
   */
  session?: { csrf_token: () => string | null; account_id?: () => string | null }
  /** Operator keys only: act for this account. */
  account_id?: string
  /** Replaces the platform's own. */
  fetch?: typeof fetch
  /**
   * Time limit for one attempt in milliseconds, until the end of a JSON response or the start of a file; 0 for none. The
   * default is 60,000, and none if the body is a file, because the time depends on its size.
   */
  timeout_ms?: number
  /** When to retry requests that are safe to repeat; false turns off retries and automatic Idempotency-Keys. */
  retry?: RetryOptions | false
  /** Called before the wait for each retry. */
  on_retry?: (event: RetryEvent) => void
}

/** Options for one request. */
export interface RequestOptions {
  headers?: Record<string, string>
  /** Makes a POST or PATCH safe to send again; the service stores it for 24 hours. Generated if absent. */
  idempotency_key?: string
  /** Aborts the request with its retries and waits; the method then throws the signal's reason. */
  signal?: AbortSignal
  /** Replaces the client's. */
  timeout_ms?: number
  /** Replaces the client's. */
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
