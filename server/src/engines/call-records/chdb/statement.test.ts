import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BadStatement, killStatement, readStatement } from './statement.ts'

const read = (parameters: Record<string, string>, body = '') =>
  readStatement(new URL(`http://cdr-engine/?${new URLSearchParams(parameters).toString()}`), Buffer.from(body))

describe('a request of the ClickHouse HTTP interface', () => {
  test('with a SELECT in its body is streamed, with its settings and an id for killing it', () => {
    assert.deepEqual(
      read({ query_id: 'q1', max_threads: '2', date_time_output_format: 'iso', database: 'x' }, 'SELECT 1 FORMAT CSV'),
      {
        kind: 'stream',
        format: 'CSV',
        sql: "SELECT 1 \nSETTINGS max_threads = 2, date_time_output_format = 'iso', log_comment = 'q1'",
      },
    )
  })

  for (const [format, kind] of [
    ['JSONCompactEachRow', 'stream'],
    ['TabSeparated', 'stream'],
    ['Parquet', 'file'],
    ['JSON', 'buffered'],
    ['CSVWithNames', 'buffered'],
  ] as const) {
    test(`for ${format} has kind ${kind}`, () => {
      assert.equal(read({}, `WITH 1 AS x SELECT x FORMAT ${format}`).kind, kind)
      assert.equal(read({ default_format: format }, 'SELECT 1').kind, kind)
    })
  }

  test('of an export is written to a file, so its reader does not occupy the engine', () => {
    assert.equal(read({ query_id: 'export-1' }, 'SELECT 1 FORMAT CSV').kind, 'file')
    assert.equal(read({ query_id: 'query-1' }, 'SELECT 1 FORMAT CSV').kind, 'stream')
  })

  test('is compressed if both the setting and the header request it', () => {
    const isCompressed = (setting: string, header?: string) => {
      const url = new URL(`http://engine/?enable_http_compression=${setting}`)
      const statement = readStatement(url, Buffer.from('SELECT 1 FORMAT CSV'), header)
      return statement.kind === 'file' && statement.gzip
    }
    assert.equal(isCompressed('1', 'gzip'), true)
    assert.equal(isCompressed('0', 'gzip'), false)
    assert.equal(isCompressed('1'), false)
  })

  test('that changes data runs unchanged', () => {
    assert.deepEqual(read({ query_id: 'q1', max_threads: '2' }, 'CREATE TABLE x (a Int8) ENGINE = Memory;'), {
      kind: 'buffered',
      format: 'TabSeparated',
      sql: 'CREATE TABLE x (a Int8) ENGINE = Memory',
    })
  })

  test('with an INSERT in its URL has its rows in the body', () => {
    assert.deepEqual(
      read({ query: 'INSERT INTO demarc.cdr (a, b) FORMAT RowBinaryWithNamesAndTypes', async_insert: '0' }, 'rows'),
      {
        kind: 'insert',
        table: 'demarc.cdr',
        columns: ['a', 'b'],
        format: 'RowBinaryWithNamesAndTypes',
        settings: { async_insert: 0 },
      },
    )
  })

  test('cannot inject SQL through a setting', () => {
    assert.throws(() => read({ 'a = 1, readonly': '0' }, 'SELECT 1'), BadStatement)
    assert.throws(() => read({ param_x: '1' }, 'SELECT {x:String}'), BadStatement)
    const { sql } = read({ setting: "x', readonly = '0\\" }, 'SELECT 1') as { sql: string }
    assert.match(sql, /setting = 'x\\', readonly = \\'0\\\\'/)
    assert.equal(killStatement("a' OR 1"), "KILL QUERY WHERE Settings['log_comment'] = 'a\\' OR 1' ASYNC")
  })

  test('adds its settings to those in the text', () => {
    const { sql } = read({ query_id: 'q' }, 'SELECT 1 SETTINGS max_threads = 1') as { sql: string }
    assert.equal(sql, "SELECT 1 SETTINGS max_threads = 1, log_comment = 'q'")
  })
})
