import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'
import { wire } from '../../test/support/wire.ts'

const server = await startTestServer()
const send = wire(server.base_url, server.account.credentials)

test('requests are counted by operation, method and status, and by no label that a client controls', async () => {
  for (const path of ['/v2/cnams/1', '/v2/cnams/2', '/nope/1', '/nope/2', '/v2/cnams']) await send(`GET ${path}`)
  await send('PROPFIND /v2/cnams')
  const response = await fetch(`${server.base_url}/metrics`)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
  const lines = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('demarc_http_request_duration_seconds_count'))
  const counts = new Map(lines.map((line) => [/\{(.*)\}/.exec(line)?.[1], Number(line.split(' ').at(-1))]))
  assert.equal(counts.get('operation="getCnam",method="GET",status="404"'), 2)
  assert.equal(counts.get('operation="listCnams",method="GET",status="200"'), 1)
  assert.equal(counts.get('operation="none",method="GET",status="404"'), 2)
  assert.equal(counts.get('operation="none",method="PROPFIND",status="405"'), 1)
  assert.doesNotMatch(lines.join('\n'), /nope/)
})

test('a counter of refusals is 0 before the first one, so that an alert on its increase sees it', async () => {
  const text = await (await fetch(`${server.base_url}/metrics`)).text()
  for (const reason of ['database', 'processor'])
    assert.match(text, new RegExp(`^demarc_http_requests_refused\\{reason="${reason}"\\} 0$`, 'm'))
  for (const reason of ['address', 'total', 'arrivals', 'pipelined', 'stalled'])
    assert.match(text, new RegExp(`^demarc_http_connections_closed\\{reason="${reason}"\\} 0$`, 'm'))
})
