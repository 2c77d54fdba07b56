import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import * as z from 'zod'
import { commitOf } from '../../acceptance/reliability/results.ts'
import { plansTable } from './plan.ts'
import { tableMarkdown, type Table } from './report.ts'

/** The last recorded result of each benchmark, and the pages that show them. */
const result = z.strictObject({
  command: z.string(),
  date: z.iso.date(),
  commit: z.string(),
  machine: z.string(),
  tables: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      head: z.array(z.string()),
      rows: z.array(z.array(z.string())),
    }),
  ),
})
const results = z.record(z.string(), result)

export type Results = z.infer<typeof results>

const results_file = new URL('../results.json', import.meta.url)
/** The pages that show results. */
export const pages = ['performance', 'capacity'].map(
  (name) => new URL(`../../docs/operate/${name}.md`, import.meta.url),
)

export const readResults = (): Results => results.parse(JSON.parse(readFileSync(results_file, 'utf8')))

/** Records a result measured on this machine and writes it into the pages. */
export function recordResult(bench: string, command: string, tables: Table[]): void {
  const machine = `${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 1e9)} GB, Node ${process.versions.node}`
  // recording earlier results changed the page, not the code
  const commit = commitOf(':/api', ':/server', ':/portal')
  const all = { ...readResults(), [bench]: { command, date: today(), commit, machine, tables } }
  writeFileSync(results_file, formatResults(all))
  writePages()
}

export function writePages(): void {
  for (const page of pages) writeFileSync(page, fillPage(readFileSync(page, 'utf8'), readResults()))
}

/** Replaces what is between `<!-- bench NAME -->` or `<!-- bench NAME/TABLE -->` and `<!-- /bench -->`. `plans` is calculated from all. */
export function fillPage(page: string, all: Results): string {
  return page.replaceAll(
    /(<!-- bench (\S+) -->\n)[\s\S]*?(<!-- \/bench -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${blockOf(name, all)}\n${end}`,
  )
}

function blockOf(name: string, all: Results): string {
  if (name === 'plans') return tableMarkdown(plansTable(all))
  const [bench = '', only] = name.split('/')
  const found = all[bench]
  const tables = found?.tables.filter((table) => only === undefined || table.name === only) ?? []
  if (!found || tables.length === 0) throw new Error(`bench/results.json has no result ${name}`)
  const { command, date, commit, machine } = found
  return [...tables.map(tableMarkdown), `*\`${command}\`, ${date}, commit ${commit}, ${machine}.*\n`].join('\n')
}

const today = (): string => new Date().toISOString().slice(0, 10)

/** One line per row, so that a diff shows which figures changed. */
const formatResults = (all: Results): string =>
  `${JSON.stringify(all, null, 1).replaceAll(/\[\n\s+("(?:[^"\\]|\\.)*"(?:,\n\s+"(?:[^"\\]|\\.)*")*)\n\s+\]/g, (_, cells: string) => `[${cells.replaceAll(/,\n\s+/g, ', ')}]`)}\n`
