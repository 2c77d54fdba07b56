import { DuckDBInstance } from '@duckdb/node-api'

/** The rows of a Parquet file, sorted by their start, as csv.gz: `parquet-to-csv.js FROM TO`. */
const [from, to] = process.argv.slice(2).map((file) => `'${file.replaceAll("'", "''")}'`)
const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
await connection.run(
  `copy (select * from read_parquet(${from}) order by start_time) to ${to} (format csv, header, compression gzip)`,
)
connection.closeSync()
instance.closeSync()
