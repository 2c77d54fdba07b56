import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemarcClient } from './index.ts'

/** Requests that a client sends with a person's session. */
async function sentBy(session: { csrf_token: () => string | null; account_id?: () => string | null }) {
  const sent: RequestInit[] = []
  const client = createDemarcClient({
    base_url: 'http://portal.example',
    session,
    async fetch(_url, init) {
      sent.push(init ?? {})
      return Response.json({ data: [] })
    },
  })
  await client.listNumbers()
  await client.createCnam({ body: { value: 'HARBOR' } })
  return sent.map(({ headers, credentials }) => ({ headers: new Headers(headers), credentials }))
}

test('with a session the client sends the cookie, the CSRF token, and the account, but no key', async () => {
  for (const { headers, credentials } of await sentBy({ csrf_token: () => 'token', account_id: () => '1002' })) {
    assert.equal(credentials, 'same-origin')
    assert.equal(headers.get('demarc-csrf'), 'token')
    assert.equal(headers.get('demarc-account'), '1002')
    assert.equal(headers.get('authorization'), null)
  }
})

test('without a sign-in the CSRF token is empty, and without a selection no account is sent', async () => {
  for (const { headers } of await sentBy({ csrf_token: () => null, account_id: () => null })) {
    assert.equal(headers.get('demarc-csrf'), '')
    assert.equal(headers.get('demarc-account'), null)
  }
})
