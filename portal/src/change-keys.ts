const header = 'idempotency-key'

/**
 * Keeps the Idempotency-Key of a change until the change is done, so that pressing the button again after an unknown outcome
 * takes effect once. Another input is another change. Returns a function that adds this to a `fetch`.
 */
export function keepChangeKeys(): (send: typeof fetch) => typeof fetch {
  const kept = new Map<string, string>()
  const bodies = new WeakMap<object, number>()
  let bodies_count = 0
  const bodyOf = (body: unknown): unknown => {
    if (typeof body !== 'object' || body === null) return body
    const known = bodies.get(body) ?? ++bodies_count
    bodies.set(body, known)
    return known
  }
  return (send) => async (input, init) => {
    const headers = new Headers(init?.headers)
    const own = headers.get(header)
    if (own === null) return await send(input, init)
    const address = input instanceof Request ? input.url : String(input)
    const change = JSON.stringify([init?.method, address, headers.get('demarc-account'), bodyOf(init?.body)])
    const key = kept.get(change) ?? own
    kept.set(change, key)
    headers.set(header, key)
    const response = await send(input, { ...init, headers })
    if (response.ok) kept.delete(change)
    return response
  }
}
