import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Database } from '../support/database.ts'
import { this_release } from './installation.ts'

interface Migration {
  name: string
  sql: string
}

/** A later release: a copy of this program with another version and more migrations. Returns its folder. */
export function laterRelease(folder: string, version: string, migrations: readonly Migration[]): string {
  const root = path.join(folder, version)
  const program = path.join(root, 'server')
  mkdirSync(root)
  cpSync(this_release, program, { recursive: true, filter: (file) => path.basename(file) !== 'node_modules' })
  // everything else is this release's
  for (const name of readdirSync(path.dirname(this_release)))
    if (name !== 'server') symlinkSync(path.join(path.dirname(this_release), name), path.join(root, name))
  const manifest = path.join(program, 'package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, `"version": "${version}"`))
  for (const { name, sql } of migrations) writeFileSync(path.join(program, 'migrations', name), sql)
  return program
}

/**
 * Migrations that expand every table, and those that contract them again in the release after it: a column with a constant
 * default, a nullable one, and a constraint that is not valid. Each is a file, because each waits for its table alone.
 */
export async function expandAndContract(database: Database): Promise<Record<'expand' | 'contract', Migration[]>> {
  const rows = await database.rows<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition and relname <> 'schema_migration' order by relname",
  )
  const files = (first: number, verb: string, statement: string) =>
    rows.map(({ name }, n) => ({
      name: `${first + n}_${verb}_${name}.sql`,
      sql: `alter table ${name} ${statement};\n`,
    }))
  return {
    expand: files(
      8000,
      'expand',
      `add column drill_count integer not null default 0, add column drill_name text,
        add constraint drill_count_min check (drill_count >= 0) not valid`,
    ),
    contract: files(9000, 'contract', 'drop column drill_count, drop column drill_name'),
  }
}
