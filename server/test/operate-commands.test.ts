import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { parseDatabaseUrl } from '../src/platform/postgres/database-url.ts'
import { sessionProblems } from '../src/platform/postgres/session-settings.ts'
import { closeBeforeDatabase, databaseUrl, testDatabase } from './support/database.ts'

/** What the pages for operators tell them to run, run as it is written, except for names, passwords, and folders. */

const root = path.resolve(import.meta.dirname, '../..')
const page = (name: string) => readFileSync(path.join(root, 'docs/operate', name), 'utf8')

const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-test-'))
after(() => rmSync(folder, { recursive: true }))

/** The code blocks of a page in this language. */
const blocks = (name: string, language: string): string[] =>
  [...page(name).matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)].flatMap(([, its_language, text = '']) =>
    its_language === language ? [text.replace(/^ {3}/gm, '')] : [],
  )

function without(program: string): string | false {
  return spawnSync('sh', ['-c', 'command -v -- "$0"', program]).status === 0 ? false : `${program} is missing`
}

function succeeds(program: string, ...parameters: string[]): void {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' })
  // warnings count: systemd-analyze ignores an unknown line
  assert.deepEqual([status, stderr], [0, ''], stdout)
}

test('HAProxy accepts the configuration of the page on scaling', { skip: without('haproxy') }, () => {
  succeeds('haproxy', '-c', '-q', '-f', path.join(root, 'docs/operate/scaling/haproxy.cfg'))
})

test('systemd accepts the units, and finds little that they expose', { skip: without('systemd-analyze') }, () => {
  const units = globSync('*.service', { cwd: path.join(root, 'deploy/systemd') })
  assert.equal(units.length, 3)
  const files = units.map((name) => {
    const file = path.join(folder, name.replace('@', '@1'))
    // the program must exist
    writeFileSync(file, readFileSync(path.join(root, 'deploy/systemd', name), 'utf8').replaceAll('/opt/demarc', root))
    return file
  })
  succeeds('systemd-analyze', 'verify', ...files)
  // in tenths
  for (const file of files) succeeds('systemd-analyze', 'security', '--offline=true', '--threshold=20', file)
})

test('every database URL of the pages is one that Demarc understands', () => {
  const urls = ['postgresql.md', 'scaling.md', 'install.md'].flatMap((name) =>
    [...page(name).matchAll(/^ *DATABASE_(?:DIRECT_|REPLICA_)?URL='?([^'\n]+)'?$/gm)].map(([, url = '']) => url),
  )
  assert.ok(urls.length >= 6, `${urls.length}`)
  // a list of replicas is separated by commas
  for (const url of urls.flatMap((each) => each.split(/,(?=postgres:)/)))
    assert.equal(parseDatabaseUrl(url).user, 'demarc')
})

test('the statements for a role, a database, and a pooler make what Demarc needs', async () => {
  const { url, pool } = await testDatabase(undefined, { migrated: false })
  const name = `documented_${process.pid}`
  const [create = assert.fail(), alter = assert.fail()] = blocks('postgresql.md', 'sql').map((text) =>
    text.replace(/\bdemarc\b/g, name).replace('…', 'secret'),
  )
  const each = (text: string) => text.split('\n').filter((line) => line !== '')
  for (const statement of each(create)) await pool.query(statement)
  const connect = async () => {
    const address = new URL(databaseUrl(url, name))
    address.username = name
    const client = new pg.Client(address.href)
    await client.connect()
    return client
  }
  const first = await connect()
  // the role may run these itself, as the page says
  for (const statement of each(alter)) await first.query(statement)
  await first.end()
  const client = await connect()
  closeBeforeDatabase(async () => {
    await client.end()
    await pool.query(`drop database ${name}`)
    await pool.query(`drop role ${name}`)
  })
  await client.query('create table mine (id int)')
  const problems = await sessionProblems(async (text, values) => (await client.query(text, [...values])).rows)
  assert.deepEqual(problems, { read_only: false, unsafe: [], limits: [] })
})
