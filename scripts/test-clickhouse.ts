/** Runs the tests of the call-record store against a server: npm run test:clickhouse -- URL */

import { spawnSync } from 'node:child_process'

const [url, ...more] = process.argv.slice(2)
if (url === undefined || more.length > 0 || !URL.canParse(url)) {
  console.error('npm run test:clickhouse -- http://user:password@host:8123')
  process.exit(2)
}
const names = ['insert', 'export', 'export-broken', 'filter', 'differential', 'slices', 'summary', 'schema']
const files = names.map((name) => `server/src/engines/call-records/${name}.test.ts`)
const { status } = spawnSync(process.execPath, ['scripts/test.ts', ...files], {
  env: { ...process.env, CLICKHOUSE_TEST_URL: url },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
