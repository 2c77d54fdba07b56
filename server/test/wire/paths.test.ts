import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mediaTypes, operations, type Operation } from '@demarc/client'
import { startTestServer } from '../support/server.ts'
import { refused, wire } from '../support/wire.ts'

const server = await startTestServer()
const send = wire(server.base_url, server.account.credentials)
const operator = wire(server.base_url, server.operator_credentials)
const anonymous = wire(server.base_url)

const cnam = await server.account.client.createCnam({ body: { value: 'Harbor Dental' } })
const cnam_path = `/v2/cnams/${cnam.body.data.id}`

test('an unknown path is a 404, with a key or without', async () => {
  const paths = [
    '/nope',
    '/v2',
    '/v2/nope',
    '/v3/cnams',
    '/V2/cnams',
    '/v2//cnams',
    '//v2/cnams',
    '/v2/cnams/1/2',
    '/health',
  ]
  for (const path of [...paths, '/docs/static/nope.js', '/v2/cnams;x=1', '/v2/cnams%2F1', '/%2e%2e/etc/passwd', '/*'])
    for (const by of [send, anonymous]) {
      const response = await by(`GET ${path}`)
      assert.equal(refused(response, 404).title, 'Resource not found', path)
      assert.equal(response.headers['content-type'], 'application/json')
    }
})

test('a path that exists with other methods is a 405 that lists them', async () => {
  const grid = [
    ['PATCH /v2/cnams', 'GET, HEAD, OPTIONS, POST'],
    [`POST ${cnam_path}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['TRACE /v2/cnams', 'GET, HEAD, OPTIONS, POST'],
    ['PROPFIND /v2/cnams', 'GET, HEAD, OPTIONS, POST'],
    ['QUERY /v2/cnams', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE /v2/cdrs/exports/', 'GET, HEAD, OPTIONS, POST'],
    ['GET /operator/cdrs', 'OPTIONS, POST'],
    ['GET /v2/operator/cdrs', 'OPTIONS, POST'],
    ['PUT http://proxied.example/v2/cnams?limit=1', 'GET, HEAD, OPTIONS, POST'],
    ['POST /health/live', 'GET, HEAD, OPTIONS'],
    ['POST /openapi.json', 'GET, HEAD, OPTIONS'],
    ['DELETE /metrics', 'GET, HEAD, OPTIONS'],
    ['POST /docs', 'GET, HEAD, OPTIONS'],
    // literal segments next to a parameter that accepts the method
    ['GET /v2/e911s/validate', 'OPTIONS, POST'],
    ['HEAD /v2/e911s/validate/?x=1', 'OPTIONS, POST'],
    ['DELETE /v2/e911s/%76alidate', 'OPTIONS, POST'],
    ['PATCH /v2/e911s/validations', 'OPTIONS, POST'],
    ['PUT /v2/e911s/validate', 'OPTIONS, POST'],
    ['PATCH /v2/routes/edge_strategies', 'GET, HEAD, OPTIONS'],
    ['DELETE /v2/routes/edge_strategies/', 'GET, HEAD, OPTIONS'],
    ['GET /v2/cdrs/exports/estimate', 'OPTIONS, POST'],
    ['GET /v2/portorders/portability', 'OPTIONS, POST'],
    ['PATCH /v2/portorders/portability', 'OPTIONS, POST'],
  ] as const
  for (const [line, allow] of grid) {
    const response = await anonymous(line)
    assert.equal(response.status, 405, line)
    if (!line.startsWith('HEAD')) assert.equal(refused(response, 405).title, 'Method not allowed', line)
    assert.equal(response.headers['allow'], allow, line)
  }
})

test('OPTIONS lists the methods of a path, and of the server', async () => {
  for (const [target, allow] of [
    ['/v2/cnams', 'GET, HEAD, OPTIONS, POST'],
    [cnam_path, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/v2/e911s/validate', 'OPTIONS, POST'],
    ['/v2/routes/edge_strategies/', 'GET, HEAD, OPTIONS'],
    ['*', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
  ] as const) {
    const response = await anonymous(`OPTIONS ${target}`)
    assert.deepEqual([response.status, response.body, response.headers['allow']], [204, '', allow])
  }
  refused(await anonymous('OPTIONS /nope'), 404)
})

test('HEAD responds as GET does, without the body', async () => {
  for (const path of [
    '/health/live',
    '/v2/whoami',
    cnam_path,
    '/v2/cnams',
    '/openapi.json',
    '/nope',
    '/v2/cnams/999',
  ]) {
    const [head, get] = [await send(`HEAD ${path}`), await send(`GET ${path}`)]
    assert.equal(head.body, '')
    assert.equal(head.status, get.status, path)
    assert.equal(head.headers['content-type'], get.headers['content-type'], path)
  }
})

test('a trailing slash, an empty query, and a stray query key make no difference', async () => {
  const plain = await send(`GET ${cnam_path}`)
  assert.equal(plain.status, 200)
  for (const path of [
    `${cnam_path}/`,
    `${cnam_path}?`,
    `${cnam_path}/?`,
    `${cnam_path}?&null`,
    `${cnam_path}?null&=&x=1`,
  ])
    assert.deepEqual((await send(`GET ${path}`)).json, plain.json, path)
})

test('the absolute form of a proxied request is read', async () => {
  const plain = await send('GET /v2/cnams?limit=1')
  assert.deepEqual((await send('GET http://proxied.example/v2/cnams?limit=1')).json, plain.json)
  assert.deepEqual((await send('GET HTTPS://proxied.example:8443/v2/cnams?limit=1')).json, plain.json)
  const root = await send('GET http://proxied.example')
  assert.deepEqual([root.status, root.headers['location']], [302, '/docs'])
})

test('operator paths also exist under the version prefix', async () => {
  const grid = ['/operator/clock', '/operator/accounts', '/operator/audit', '/operator/edge_strategies']
  for (const path of grid) {
    assert.equal((await operator(`GET /v2${path}`)).status, 200, path)
    assert.equal((await operator(`GET ${path}`)).status, 200, path)
    refused(await send(`GET /v2${path}`), 403)
    refused(await anonymous(`GET /v2${path}`), 401)
  }
  refused(await operator('GET /v2/operatorx'), 404)
})

test('an invalid percent-encoding is a 400 in the path, and text in the query', async () => {
  for (const path of ['/v2/cnams/%zz', '/v2/cnams/%', '/%ff', '/v2/cnams/%e0%a4']) {
    const response = await send(`GET ${path}`)
    assert.equal(refused(response, 400).detail, 'The path contains invalid percent-encoding.', path)
    assert.equal(response.headers['content-type'], 'application/json')
  }
  assert.deepEqual((await send('GET /v2/cnams?value=%zz')).status, 200)
})

test('percent-encoded bytes that are not UTF-8 are a 422 in a query or form, and a 400 in the path', async () => {
  const message = ['Must be percent-encoded UTF-8.']
  for (const bytes of ['%ED%A0%80', '%ff', 'a%C3', '%80b'])
    assert.deepEqual(refused(await send(`GET /v2/cnams?value=${bytes}&limit=x`), 422).detail, {
      value: message,
      limit: ['Not a valid integer.'],
    })
  assert.equal((await send('GET /v2/cnams?stray=%ff&value=%C3%9C+%25ff')).status, 200)
  refused(await send('GET /v2/cnams/%ED%A0%80'), 400)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = await send('POST /v2/portorders/portability', {
    headers,
    body: 'numbers=%2B12065550100&numbers=%ED%A0%80',
  })
  assert.deepEqual(refused(form, 422).detail, { numbers: message })
})

test('a 405 has the media type of the operations of its path', async () => {
  const by_path = Object.groupBy(Object.values<Operation>(operations), ({ path }) => path)
  for (const [path, of_path = []] of Object.entries(by_path)) {
    const methods = of_path.map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      if (methods.includes(method)) continue
      const response = await anonymous(`${method} ${path.replaceAll(/\{\w+\}/g, '1')}`)
      assert.equal(response.status, 405, `${method} ${path}`)
      const expected = of_path.map(({ media }) => mediaTypes[media])
      assert.ok(
        expected.some((type) => type === response.headers['content-type']),
        `${method} ${path}: ${response.headers['content-type']}`,
      )
    }
  }
})

test('a path id that is not an id is a 404, in every notation', async () => {
  const nines = [19, 400, 2000].map((length) => '9'.repeat(length))
  for (const id of ['abc', '-1', '1.5', '1e3', '%00', '%20', '%D9%A3', '%F0%9F%98%80', '%2e%2e', ...nines])
    refused(await send(`GET /v2/cnams/${id}`), 404)
  refused(await send('GET /v2/cnams/..'), 404)
})

test('a repeated query key is a 422 that names it; unknown keys are ignored', async () => {
  assert.deepEqual(refused(await send('GET /v2/cnams?limit=1&limit=2&offset=1&offset=1'), 422).detail, {
    limit: ['Must appear only once.'],
    offset: ['Must appear only once.'],
  })
  assert.equal((await send('GET /v2/cnams?x=1&x=2&__proto__=1&constructor=2')).status, 200)
})

test('query values are read as clients write them', async () => {
  await server.operator.decideCnam({ params: { cnam_id: cnam.body.data.id }, body: { is_approved: true } })
  for (const query of ['is_approved=True', 'is_approved=TRUE', 'is_approved=1', 'is_approved=true&limit=1'])
    assert.equal((JSON.parse((await send(`GET /v2/cnams?${query}`)).body) as { data: unknown[] }).data.length, 1, query)
  assert.equal((JSON.parse((await send('GET /v2/cnams?is_approved=False')).body) as { data: unknown[] }).data.length, 0)
  const field_errors = refused(await send('GET /v2/cnams?limit=x&offset=-1&is_approved=maybe&value=%00'), 422).detail
  assert.deepEqual(field_errors, {
    limit: ['Not a valid integer.'],
    offset: ['Must be at least 0.'],
    is_approved: ['Not a valid boolean.'],
    value: ['Must not contain a null character.'],
  })
})

test('links have the service’s public address', async () => {
  const { json } = await send('GET http://elsewhere.example/v2/numbers/?limit=5&null&alias=', {
    headers: { host: 'elsewhere.example', 'x-forwarded-host': 'elsewhere.example' },
  })
  assert.deepEqual((json as { links: unknown }).links, { self: `${server.base_url}/v2/numbers?limit=5&offset=0` })
})
