import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readMigrations } from '../src/platform/migrate.ts'
import { MIGRATIONS } from './support/database.ts'
import { changesOf, freeze, readReleased } from './support/released.ts'

/** The initial files of each area, which no release has applied to existing rows. */
const newest_initial = '0011_notices.sql'

/** What takes away from the tables something that the release before may use. */
const contracting =
  /\bdrop\s+(table|column|view|function|type|trigger)\b|\brename\b|\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b|\bset\s+not\s+null\b/i

/** Its first line: `-- Contracts 0012_name.sql, released in 1.0.0`. */
const contract = /^-- Contracts (\d{4}_\w+\.sql), released in (\d+\.\d+\.\d+)$/m

/** Why a migration breaks processes of the release before; null if it doesn't. */
function violation(sql: string, releases: readonly string[]): string | null {
  const statement = contracting.exec(sql.replace(/--.*$/gm, ''))?.[0]
  if (statement === undefined) return null
  const released = contract.exec(sql)?.[2]
  if (released === undefined) return `"${statement}" contracts: see server/migrations/README.md`
  return releases.includes(released) ? null : `${released} is not a release in CHANGELOG.md`
}

test('no migration takes away what the release before still uses', async () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  const releases = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version = '']) => version)
  const later = (await readMigrations(MIGRATIONS)).filter(({ name }) => name > newest_initial)
  const violations = later.map(({ name, sql }) => ({ name, violation: violation(sql, releases) }))
  assert.deepEqual(
    violations.filter((each) => each.violation !== null),
    [],
  )
})

test('no released migration is changed, removed, or preceded by a new one', async () => {
  assert.deepEqual(changesOf(await readReleased(MIGRATIONS), await readMigrations(MIGRATIONS)), [])
})

test('the migrations of a release are recorded, and each change of them is reported', () => {
  const files = (names: Record<string, string>) =>
    Object.entries(names).map(([name, checksum]) => ({ name, sql: '', checksum }))
  const first = freeze({}, '1.0.0', files({ '0001_a.sql': 'a', '0002_b.sql': 'b' }))
  assert.deepEqual(first, { '1.0.0': { '0001_a.sql': 'a', '0002_b.sql': 'b' } })
  const third = files({ '0001_a.sql': 'a', '0002_b.sql': 'b', '0003_c.sql': 'c' })
  const second = freeze(first, '1.1.0', third)
  assert.deepEqual(Object.keys(second), ['1.0.0', '1.1.0'])
  assert.deepEqual(changesOf(second, third), [])
  assert.deepEqual(changesOf(first, files({ '0001_a.sql': 'A', '0003_c.sql': 'c' })), [
    '0001_a.sql was released in 1.0.0 and is changed.',
    '0002_b.sql was released in 1.0.0 and is gone.',
  ])
  const between = files({ '0001_a.sql': 'a', '0001_z.sql': 'z', '0002_b.sql': 'b' })
  assert.match(changesOf(first, between).join(), /^0001_z.sql is new, but comes before 0002_b.sql/)
  assert.throws(() => freeze(first, '1.0.0', files({ '0001_a.sql': 'A', '0002_b.sql': 'b' })), /is changed/)
})

test('steps that contract are refused until the step that expanded is released', () => {
  const refused = [
    'drop table crate;',
    'alter table crate drop column size;',
    'alter table crate rename to box;',
    'alter table crate alter column size type bigint;',
    'alter table crate alter column size set not null;',
  ]
  for (const sql of refused) {
    const marked = `-- Contracts 0012_boxes.sql, released in 1.0.0\n${sql}`
    assert.match(violation(sql, ['1.0.0']) ?? '', /contracts/)
    assert.match(violation(marked, []) ?? '', /not a release/)
    assert.equal(violation(marked, ['1.0.0']), null)
  }
  for (const sql of ['alter table crate add column size int;', '-- drop table crate', 'drop index crate_size;'])
    assert.equal(violation(sql, []), null)
})
