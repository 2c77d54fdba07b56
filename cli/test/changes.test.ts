import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { json, stub, type Stub } from './support/process.ts'
import { runLine } from './support/run.ts'

/** Changes: requests, dry runs, and existing records. */

const cnam = { type: 'cnam', id: '7', attributes: { value: 'ACME CO', is_approved: false } }

interface Sent {
  method: string
  path: string
  body: unknown
}

let sent: Sent[]
let service: Stub
beforeEach(async () => {
  sent = []
  service = await stub((request, response) => {
    const { method = '', url = '' } = request
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      sent.push({ method, path: url, body: text === '' ? null : JSON.parse(text) })
      const list = method === 'GET' && !/\/\d+$/.test(url)
      json({ data: list ? [cnam] : cnam, links: {} })(request, response)
    })
  })
})
afterEach(() => service.close())

const run = (line: string, stdin?: string) =>
  runLine(line, { env: service.env, ...(stdin === undefined ? {} : { stdin }) })

test('options replace members of --data', async () => {
  const data = JSON.stringify({ route_type: 'host', value: 'a.example.com', alias: 'A' })
  await run('route create --data - --value b.example.com', data)
  assert.deepEqual(sent[0]?.body, {
    data: { type: 'route', attributes: { route_type: 'host', value: 'b.example.com', alias: 'A' } },
  })
})

test('accepts a whole document, and options override its attributes', async () => {
  const data = JSON.stringify({ data: { type: 'cnam', id: '7', attributes: { value: 'OLD' } } })
  await run('cnam update 7 --data - --value NEW', data)
  assert.deepEqual(sent[0]?.body, { data: { type: 'cnam', id: '7', attributes: { value: 'NEW' } } })
})

test('removes a field with an empty value, and rejects values of the wrong type', async () => {
  await run("route update 5 --edge-strategy ''")
  assert.deepEqual(sent[0]?.body, { data: { type: 'route', attributes: { edge_strategy_id: null } } })
  const { status, stderr } = await run('numbers update 12065550100 --cnam-lookups-enabled perhaps')
  assert.equal(status, 6)
  assert.match(stderr, /^error\[usage\] --cnam-lookups-enabled: Must be true or false, not perhaps\.$/m)
})

test('--dry-run shows the request without sending it', async () => {
  const { status, stdout } = await run('port cancel 7 --dry-run --json')
  assert.equal(status, 0)
  assert.deepEqual(sent, [])
  const body = { data: { type: 'portorder', attributes: { status: 'cancelled' } } }
  assert.deepEqual(JSON.parse(stdout), { method: 'PATCH', path: '/v2/portorders/7/status', body })
})

test('--if-not-exists shows the existing record and changes nothing', async () => {
  const { status, stdout, stderr } = await run('cnam create --value "Acme Co" --if-not-exists --ids')
  assert.deepEqual([status, stdout, stderr], [0, '7\n', 'It already exists; nothing was changed.\n'])
  assert.deepEqual(
    sent.map(({ method }) => method),
    ['GET'],
  )
})

test('--if-not-exists creates a missing record', async () => {
  const { status } = await run('cnam create --value OTHER --if-not-exists')
  assert.equal(status, 0)
  assert.deepEqual(
    sent.map(({ method }) => method),
    ['GET', 'POST'],
  )
})

test('sends --account as a header, or in the path', async () => {
  await run('key list --account 1001')
  assert.match(sent[0]?.path ?? '', /^\/operator\/accounts\/1001\/keys\?/)
})

test('api builds the query of a GET, and nested objects and lists in a body', async () => {
  await run('api GET /v2/numbers -f limit=5 -f alias="Front desk"')
  await run('api PATCH /v2/portorders/7 -f presets.alias=Ported -F presets.cnam_id=12 -f add[]=a -f add[]=b')
  assert.equal(sent[0]?.path, '/v2/numbers?limit=5&alias=Front+desk')
  assert.deepEqual(sent[1]?.body, { presets: { alias: 'Ported', cnam_id: 12 }, add: ['a', 'b'] })
})

test('api never sends the key to another host', async () => {
  for (const path of ['https://elsewhere.example/v2', '@elsewhere.example/v2', 'v2/numbers']) {
    const { status } = await run(`api GET ${path}`)
    assert.equal(status, 6, path)
  }
  assert.deepEqual(sent, [])
})

test('e911 validate says how far the address was checked', async () => {
  const checked = await stub((_request, response) => {
    response.writeHead(204, { 'Demarc-Validation-Level': 'postal' }).end()
  })
  const validate = (form: string) =>
    runLine(
      `e911 validate --street-number 1 --street-name "Main St" --city X --state WI --country US --zip 53934 ${form}`,
      {
        env: checked.env,
      },
    )
  const [shown, json_form] = [await validate(''), await validate('--json')]
  await checked.close()
  assert.equal(
    shown.stdout.trim(),
    'The address is valid. Checked to level postal: City and postal code match. The street was not checked.',
  )
  assert.deepEqual(JSON.parse(json_form.stdout), { result: 'done', level: 'postal' })
})

test('escapes control characters and line breaks from the service', async () => {
  const evil = await stub(json({ data: [{ ...cnam, attributes: { value: 'A\u001b[2J\nB\tC' } }], links: {} }))
  const { stdout } = await runLine('cnam list --fields id,value', { env: evil.env })
  await evil.close()
  assert.equal(stdout, '7\tA [2J B C\n')
})

test('shows control and bidirectional characters from the service as escapes to people, and leaves JSON as it is', async () => {
  const value = 'A\u009b2J\u202eB\u2066\u2028C'
  const listed = await stub(json({ data: [{ ...cnam, attributes: { value } }], links: {} }))
  const table = await runLine('cnam list --fields id,value --table', { env: listed.env })
  const item = await runLine('cnam list --fields value --json', { env: listed.env })
  await listed.close()
  assert.equal(table.stdout, 'ID  VALUE\n7   A 2J\\u202eB\\u2066\\u2028C\n')
  assert.deepEqual(JSON.parse(item.stdout), [{ value }])
  const refusal = { errors: [{ id: 'x', status: 409, title: 'Conflict', detail: `No ${value}\u001b]0;x\u0007.` }] }
  const refusing = await stub(json(refusal, 409))
  const { stderr } = await runLine('cnam get 7', { env: refusing.env })
  const shown = await runLine(`cnam list --fields '${value}'`, { env: refusing.env })
  await refusing.close()
  for (const text of [stderr, shown.stderr]) {
    assert.doesNotMatch(text, /[^\P{Cc}\n]|\p{Bidi_Control}|\u2028/u)
    assert.match(text, /No A\\u009b2J\\u202eB\\u2066\\u2028C\\u001b\]0;x\\u0007\./)
  }
})

test('truncates a table only to the width of a terminal', async () => {
  const wide = await stub(json({ data: [{ ...cnam, attributes: { value: 'x'.repeat(100) } }], links: {} }))
  const shown = await runLine('cnam list --fields id,value', { env: { ...wide.env, NO_COLOR: '1' }, columns: 40 })
  const piped = await runLine('cnam list --fields id,value --table', { env: wide.env })
  await wide.close()
  assert.equal(shown.stdout, `ID  VALUE\n7   ${'x'.repeat(35)}…\n`)
  assert.equal(piped.stdout, `ID  VALUE\n7   ${'x'.repeat(100)}\n`)
})

test('rounds times to the minute only in tables', async () => {
  const creation_datetime = '2026-11-22T06:09:10.260Z'
  const listed = await stub(json({ data: [{ ...cnam, attributes: { creation_datetime } }], links: {} }))
  const line = 'cnam list --fields id,creation_datetime'
  const shown = await runLine(`${line} --table`, { env: listed.env })
  const piped = await runLine(line, { env: listed.env })
  await listed.close()
  assert.match(shown.stdout, /^7 {3}2026-11-22 06:09$/m)
  assert.equal(piped.stdout, `7\t${creation_datetime}\n`)
})

test('a refused CSV line has the line number of an editor, with empty lines, multi-line cells, CRLF, and a byte order mark', async () => {
  const rows = ['number,alias', '', '12065550100,"Front', 'desk",x', '', '12065550101,Back,x', '']
  for (const text of [rows.join('\n'), `\uFEFF${rows.join('\r\n')}`]) {
    const { stderr } = await run('numbers apply - --dry-run', text)
    assert.match(stderr, /line 3: Has 3 cells, but the header has 2\./)
    assert.match(stderr, /line 6: Has 3 cells, but the header has 2\./)
    assert.match(stderr, /2 of 2 lines are refused; nothing was changed\./)
  }
  assert.deepEqual(sent, [])
  const { stderr } = await run('numbers apply -', 'number,alias\n12065550100,"Front\n12065550101,Back\n')
  assert.match(stderr, /after line 1: a quote is not closed/)
})

test('edge-strategy firewall without an id lists the edge strategies', async () => {
  const strategies = ['us-west-or', 'us-east-nj'].map((name, n) => ({
    type: 'edge_strategy',
    id: String(n + 1),
    attributes: { name },
  }))
  const listed = await stub(json({ data: strategies, links: {} }))
  const { status, stderr } = await runLine('edge-strategy firewall', { env: listed.env })
  await listed.close()
  assert.equal(status, 6)
  assert.match(stderr, /^error\[usage\] edge-strategy: Required\. One of: 1 \(us-west-or\), 2 \(us-east-nj\)\.$/m)
})
