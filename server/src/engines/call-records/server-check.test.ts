import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { WarehouseRefused } from './errors.ts'
import type { StoreMode } from './modes.ts'
import { openWarehouse } from './warehouse.ts'

/** Rows of the first pattern that a statement matches; text is an error. */
type Answers = readonly (readonly [RegExp, string[][] | string])[]

/** What a cluster of two servers says that has everything but the tables. */
const CLUSTER: Answers = [
  [/version\(\) FORMAT/, [['26.7.2.1']]],
  [/cloud_mode/, [['0']]],
  [/FROM system\.databases/, []],
  [
    /host_name/,
    [
      ['a', '9000'],
      ['b', '9000'],
    ],
  ],
  [/'clusters'/, [['internal_replication']]],
  [/min\(internal_replication\)/, [['1']]],
  [
    /version\(\) FROM cluster/,
    [
      ['a', '9000', '26.7.2.1'],
      ['b', '9000', '26.7.2.1'],
    ],
  ],
  [
    /getMacro/,
    [
      ['a', '9000', '1', 'a'],
      ['b', '9000', '1', 'b'],
    ],
  ],
  [/CHECK GRANT/, [['1']]],
  [
    /system\.one/,
    [
      ['a', '9000'],
      ['b', '9000'],
    ],
  ],
]

/** Starts a server with these results, and without rows for any other statement. Returns the error of a start against it. */
async function refusal(t: TestContext, answers: Answers, mode: StoreMode = { name: 'server' }): Promise<Error> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const sql = new URL(request.url ?? '/', 'http://x').searchParams.get('query') ?? body
      const [, answer = []] = [...answers, ...CLUSTER].find(([pattern]) => pattern.test(sql)) ?? []
      if (typeof answer !== 'string') return response.end(answer.map((row) => `${row.join('\t')}\n`).join(''))
      return response.writeHead(500).end(answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo // it listens on TCP
  const unreachable = 'http://demarc:hunter2@127.0.0.1:9'
  const warehouse = openWarehouse({
    at: { url: unreachable, others: [`http://demarc:hunter2@127.0.0.1:${port}`] },
    mode,
  })
  const error = await warehouse.ensureSchema().then(
    () => assert.fail('accepted'),
    (reason: unknown) => reason,
  )
  await warehouse.close()
  assert.ok(error instanceof Error)
  assert.doesNotMatch(`${error.message}${String(error.stack)}`, /hunter2/)
  return error
}

const main = { name: 'cluster', cluster: 'main' } as const
const grid: [string, Answers, StoreMode, RegExp][] = [
  [
    'a server that is too old',
    [[/version/, [['18.16.1']]]],
    { name: 'server' },
    /is version 18\.16\.1, but Demarc needs 24\.8 or newer/,
  ],
  [
    'a server of the cluster that is too old',
    [[/version\(\) FROM cluster/, [['b', '9000', '24.3.1']]]],
    main,
    /Server b:9000 of the cluster is version 24\.3\.1/,
  ],
  [
    'a wrong password',
    [[/version/, 'Code: 516. DB::Exception: demarc: Authentication failed. (AUTHENTICATION_FAILED)']],
    { name: 'server' },
    /did not accept the user and password/,
  ],
  [
    'ClickHouse Cloud as a server',
    [[/cloud_mode/, [['1']]]],
    { name: 'server' },
    /is ClickHouse Cloud: set CLICKHOUSE_MODE to cloud/,
  ],
  ['a server as ClickHouse Cloud', [], { name: 'cloud' }, /is not ClickHouse Cloud/],
  [
    'a Replicated database as a server',
    [[/FROM system\.databases/, [['Replicated']]]],
    { name: 'server' },
    /set CLICKHOUSE_MODE to replicated-database/,
  ],
  [
    'a Replicated database that is missing',
    [],
    { name: 'replicated-database' },
    /does not exist\. Run on every server: CREATE DATABASE demarc ENGINE = Replicated/,
  ],
  [
    'an unknown cluster',
    [
      [/host_name/, []],
      [/DISTINCT cluster/, [['one'], ['two']]],
    ],
    main,
    /has no cluster main\. It has: one, two/,
  ],
  [
    'a cluster whose Distributed tables write to each replica',
    [[/min\(internal_replication\)/, [['0']]]],
    main,
    /<internal_replication>true/,
  ],
  [
    'two servers with the same macros',
    [
      [
        /getMacro/,
        [
          ['a', '9000', '1', 'x'],
          ['b', '9000', '1', 'x'],
        ],
      ],
    ],
    main,
    /a:9000 and b:9000 have the same macros/,
  ],
  [
    'a setting that the user may not use',
    [
      [
        /^SELECT 1 /,
        'Code: 452. DB::Exception: Setting max_memory_usage should not be greater. (SETTING_CONSTRAINT_VIOLATION)',
      ],
    ],
    { name: 'server' },
    /refuses a setting that Demarc sends: .*max_memory_usage/,
  ],
  [
    'missing rights',
    [[/CHECK GRANT (INSERT|REMOTE)/, [['0']]]],
    main,
    /GRANT INSERT ON demarc\.\*; GRANT REMOTE ON \*\.\*/,
  ],
  [
    'missing rights to create tables',
    [[/CHECK GRANT CREATE/, [['0']]]],
    main,
    /GRANT CREATE DATABASE ON demarc\.\*; GRANT CREATE TABLE ON demarc\.\*; GRANT CREATE DICTIONARY ON demarc\.\*/,
  ],
  [
    'a table of another mode',
    [
      [/FROM system\.tables/, [['a', '9000', 'cdr', 'Distributed']]],
      [/system\.one/, [['a', '9000']]],
      [/tcpPort\(\) FORMAT/, [['a', '9000']]],
    ],
    { name: 'server' },
    /has the engine Distributed, which is not that of the mode server/,
  ],
]

for (const [what, answers, mode, message] of grid)
  test(`a start refuses ${what} in one sentence`, async (t) => {
    const error = await refusal(t, answers, mode)
    assert.ok(error instanceof WarehouseRefused, String(error))
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /\n/)
  })

test('a start waits for a server that lacks a table after its statements ran', async (t) => {
  const error = await refusal(t, [], main)
  assert.match(error.message, /lacks a table: demarc\.cdr_local on a:9000/)
  assert.equal(error.name, 'WarehouseUnavailable')
})
