import type { TestAccount } from './server.ts'

type Caller = Pick<TestAccount, 'credentials'>

/** A function that sends requests just as written, for what the typed client would not send. Without a caller: no key. */
export const rawClient =
  (base_url: string, caller?: Caller) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(base_url + path, {
      method,
      headers: {
        ...(caller ? { authorization: basic(caller.credentials) } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

const basic = ({ access_key, secret_key }: Caller['credentials']) => `Basic ${btoa(`${access_key}:${secret_key}`)}`
