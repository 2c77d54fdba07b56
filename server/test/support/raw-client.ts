import type { TestAccount } from './server.ts'

type KeyHolder = Pick<TestAccount, 'credentials'>

/** Returns a function that sends untyped requests, for what the typed client would not send. Without a principal: no key. */
export const rawClient =
  (base_url: string, holder?: KeyHolder) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(base_url + path, {
      method,
      headers: {
        ...(holder ? { authorization: basic(holder.credentials) } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

const basic = ({ access_key, secret_key }: KeyHolder['credentials']) => `Basic ${btoa(`${access_key}:${secret_key}`)}`
