import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import type { FormatName } from '../import/formats/index.ts'
import { noFollowUps } from '../switch.ts'
import { importDataset, type ImportOptions, type ImportReport } from '../import/importer.ts'

/** For tests: writes the text to a file and imports it. */
export async function importText(
  pool: pg.Pool,
  format: FormatName,
  text: string | Uint8Array,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  return withFile(text, (file) =>
    importDataset(pool, {
      file,
      format,
      name: 'Test',
      vintage: '1',
      activate: true,
      now: new Date('2026-03-01T12:00:00Z'),
      follow_ups: noFollowUps,
      ...options,
    }),
  )
}

/** For tests: a temporary file, removed afterward. */
export async function withFile<T>(
  content: string | Uint8Array,
  use: (file: string) => Promise<T>,
  name = 'data',
): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-e911-'))
  try {
    const file = path.join(folder, name)
    await writeFile(file, content)
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** For tests: CSV of the OpenAddresses columns from `number street|city|ST|code` lines. */
export function openAddresses(...lines: string[]): string {
  const rows = lines.map((line) => {
    const [address = '', city = '', region = '', code = ''] = line.split('|')
    const at = address.indexOf(' ')
    return `,,${address.slice(0, at)},${address.slice(at + 1)},,${city},,${region},${code},,`
  })
  return `LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n${rows.join('\n')}\n`
}
