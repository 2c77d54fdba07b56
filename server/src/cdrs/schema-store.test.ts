import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import { journalOf } from './schema-store.ts'

const { db } = await testDatabase()
const withJournal = journalOf(db)

test('one process at a time applies the schema of call records, and the next one knows what it applied', async () => {
  const seen: string[][] = []
  let inside = 0
  const apply = () =>
    withJournal('cluster', async ({ applied, record }) => {
      assert.equal((inside += 1), 1)
      seen.push([...applied].flat())
      await record({ name: 'records', digest: `d${seen.length}`, servers: 4 })
      inside -= 1
    })
  await Promise.all([apply(), apply()])
  assert.deepEqual(seen, [[], ['records', 'd1']])
  await withJournal('server', ({ applied }) => Promise.resolve(assert.equal(applied.size, 0)))
})

test('a process that fails records nothing', async () => {
  const failed = withJournal('cloud', async ({ record }) => {
    await record({ name: 'records', digest: 'd', servers: 1 })
    throw new Error('lost')
  })
  await assert.rejects(failed, /lost/)
  await withJournal('cloud', ({ applied }) => Promise.resolve(assert.equal(applied.size, 0)))
})
