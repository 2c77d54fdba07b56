import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { operations } from '@demarc/client'
import { startTestServer } from './support/server.ts'

/** The files in deploy/monitoring against the metrics of a running service. */

const root = path.join(import.meta.dirname, '../..')
const folder = path.join(root, 'deploy/monitoring')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const alerts = read('deploy/monitoring/alerts.yaml')
const dashboard = read('deploy/monitoring/dashboard.json')
const page = read('docs/operate/alerts.md')
const has_promtool = spawnSync('promtool', ['--version']).status === 0

const server = await startTestServer()

test('every metric in the alerts and the dashboard exists', async () => {
  const text = await (await fetch(`${server.base_url}/metrics`)).text()
  const exposed = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
  // only an installation with replicas has these
  for (const [, name = ''] of ['runtime', 'app']
    .map((file) => read(`server/src/${file}.ts`))
    .join('')
    .matchAll(/'(demarc_replica_\w+)'/g))
    exposed.add(name)
  const used = new Set(
    [...`${alerts}${dashboard}`.matchAll(/\bdemarc_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, '')),
  )
  assert.ok(used.size > 10)
  assert.deepEqual(
    [...used].filter((name) => !exposed.has(name)),
    [],
  )
})

test('every operation in the alerts and the dashboard exists', () => {
  const names = new Set(Object.keys(operations))
  const used = [...`${alerts}${dashboard.replaceAll('\\"', '"')}`.matchAll(/operation="(\w+)"/g)].map(
    ([, name = '']) => name,
  )
  assert.ok(used.length > 0)
  assert.deepEqual(
    used.filter((name) => !names.has(name)),
    [],
  )
})

test('every alert has a section in the runbook, and names it', () => {
  const defined = [
    ...alerts.matchAll(/- alert: (\w+)\n[\s\S]*?severity: (\w+)[\s\S]*?runbook: docs\/operate\/alerts\.md#(\w+)/g),
  ]
  const sections = [...page.matchAll(/^## (\w+)\n\n(Critical|Warning)\. /gm)]
  assert.deepEqual(
    sections.map(([, name = '', severity = '']) => [name, severity.toLowerCase(), name.toLowerCase()]),
    defined.map(([, name, severity, anchor]) => [name, severity, anchor]),
  )
})

test(
  'Prometheus accepts the rules, and they alert when they should',
  { skip: !has_promtool && 'promtool is missing' },
  () => {
    for (const args of [
      ['check', 'rules', 'alerts.yaml'],
      ['test', 'rules', 'alerts.test.yaml', 'alerts-of-days.test.yaml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
      assert.equal(status, 0, `${stdout}${stderr}`)
    }
  },
)
