import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { validate as validateDockerfile } from 'dockerfile-utils'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import root_manifest from '../../package.json' with { type: 'json' }
import { readConfig } from '../src/config.ts'

/** The files in deploy, by the validators of their formats. Nothing here starts a container. */

const folder = path.join(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')

test('the Dockerfile is valid, and starts the service as another user than root', () => {
  const text = read('Dockerfile')
  assert.deepEqual(
    validateDockerfile(text).map(({ message }) => message),
    [],
  )
  assert.match(text, /^USER demarc$/m)
  assert.match(text, /^HEALTHCHECK /m)
})

test('the images have a command for each backup command of package.json', () => {
  for (const verb of ['backup', 'restore'] as const) {
    const script = read(`bin/demarc-${verb}`)
    assert.equal(script.split('\n')[0], '#!/bin/sh')
    assert.equal(`exec scripts/node ${/server\/\S+/.exec(script)?.[0]}`, root_manifest.scripts[verb])
  }
})

test('Docker Compose would accept the compose file', () => {
  const bin = path.join(folder, '../node_modules/.bin/dclint')
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, path.join(folder, 'compose.yaml')], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}${stderr}`)
})

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
})
const manifests = parseAllDocuments(read('kubernetes/demarc.yaml')).map((each) => manifest.parse(each.toJS()))
const data = z.record(z.string(), z.string())

test('Kubernetes would accept the manifests', async () => {
  assert.ok(manifests.length >= 8)
  for (const each of manifests) {
    const models: Record<string, new (data: unknown) => { validate(): void }> = await import(
      `kubernetes-models/${each.apiVersion}`
    )
    const Model = models[each.kind] ?? assert.fail(`${each.apiVersion} has no ${each.kind}`)
    new Model(each).validate()
  }
})

test('the service accepts the settings in the manifests', () => {
  const settings = data.parse(manifests.find(({ kind }) => kind === 'ConfigMap')?.['data'])
  const secrets = {
    DATABASE_URL: 'postgres://demarc@db/demarc',
    CLICKHOUSE_URL: 'https://clickhouse:8443',
    DEMARC_PEPPER: 'p'.repeat(32),
    DEMARC_SEAL_KEYS: `k1:${'s'.repeat(32)}`,
  }
  const config = readConfig({ ...settings, ...secrets, DEMARC_ROLE: 'worker' }, { demo: false })
  assert.equal(config.role, 'worker')
})
