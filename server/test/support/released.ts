import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Migration } from '../../src/platform/migrate.ts'

/** The checksums of migrations by release and name. A released migration never changes: databases have applied it. */
export type Released = Readonly<Record<string, Readonly<Record<string, string>>>>

/** From the file `released.json` of a folder with migrations; empty before the first release. */
export async function readReleased(folder: string): Promise<Released> {
  return JSON.parse(await readFile(path.join(folder, 'released.json'), 'utf8'))
}

/** Adds a release. Throws if these migrations change those of a release that is recorded, this one included. */
export function freeze(released: Released, version: string, migrations: readonly Migration[]): Released {
  const changes = changesOf(released, migrations)
  if (changes.length > 0) throw new Error(changes.join('\n'))
  return { ...released, [version]: Object.fromEntries(migrations.map(({ name, checksum }) => [name, checksum])) }
}

/** What would make a database of a release refuse these migrations. */
export function changesOf(released: Released, migrations: readonly Migration[]): string[] {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  return Object.entries(released).flatMap(([version, names]) => [
    ...Object.entries(names)
      .filter(([name, checksum]) => checksums.get(name) !== checksum)
      .map(([name]) => `${name} was released in ${version} and is ${checksums.has(name) ? 'changed' : 'gone'}.`),
    ...skipped(Object.keys(names), version, migrations),
  ])
}

/** A file between released ones would be applied after them to an existing database, and before them to a new one. */
function skipped(names: readonly string[], version: string, migrations: readonly Migration[]): string[] {
  const newest = names.toSorted().at(-1) ?? ''
  return migrations
    .filter(({ name }) => name < newest && !names.includes(name))
    .map(({ name }) => `${name} is new, but comes before ${newest}, which was released in ${version}.`)
}
