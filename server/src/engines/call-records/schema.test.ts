import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWarehouse } from '../../../test/support/engine.ts'
import { layoutOf } from './modes.ts'
import { schema, tables } from './schema.ts'
import { EXAMPLES } from './schema-text.ts'

const { clickhouse, database } = await testWarehouse()

/** How the engine understands a statement, one line per node of its syntax tree. */
async function parse(sql: string): Promise<string[]> {
  return (await clickhouse.rows<[string]>(`EXPLAIN AST ${sql}`)).map(([line]) => line)
}

/** The children of a node. */
function below(lines: readonly string[], node: string): readonly string[] {
  const at = lines.findIndex((line) => line.trim().startsWith(node))
  assert.ok(at >= 0, `no ${node} in\n${lines.join('\n')}`)
  const depth = (line: string) => line.length - line.trimStart().length
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => depth(line) <= depth(lines[at] ?? ''))
  return end < 0 ? rest : rest.slice(0, end)
}

const [plain] = EXAMPLES

for (const mode of EXAMPLES)
  test(`the tables of the mode ${mode.name} have the columns and keys of the embedded engine’s`, async () => {
    assert.ok(plain)
    const [one, other] = [plain, mode].map((each) => schema('demarc', layoutOf(each, 'demarc')))
    for (const name of ['records', 'claims']) {
      const [expected = '', sql = ''] = [one, other].map((steps) => steps?.find((step) => step.name === name)?.sql)
      const [wanted, parsed] = [await parse(expected), await parse(sql)]
      assert.deepEqual(below(parsed, 'Columns definition'), below(wanted, 'Columns definition'))
      // the keys follow the engine
      const keys = (lines: readonly string[]) => {
        const storage = below(lines, 'Storage definition')
        return storage.slice(
          storage.findLastIndex((line) => /ReplacingMergeTree|Literal|Identifier (precedence|claimed)$/.test(line)) + 1,
        )
      }
      assert.deepEqual(keys(parsed), keys(wanted))
    }
    for (const { sql } of other ?? []) assert.ok((await parse(sql)).length > 0)
  })

test('the engine stores the tables with the expected types and engines', async () => {
  const rows = await clickhouse.rows<[table: string, name: string, type: string, engine: string]>(
    `SELECT c.table, c.name, c.type, t.engine FROM system.columns AS c JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
WHERE c.database = '${database}' ORDER BY c.table, c.position`,
  )
  const stored = Map.groupBy(rows, ([table]) => table)
  assert.ok(plain)
  for (const { name, types, engine } of tables(layoutOf(plain, database))) {
    const columns = stored.get(name) ?? []
    assert.deepEqual(Object.fromEntries(columns.map(([, column, type]) => [column, type])), types)
    assert.match(columns[0]?.[3] ?? '', engine)
  }
})
