import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { plotFile, provenance, sectionMarkdown, summaryTable } from './markdown.ts'
import { keptResults, type Result, type Section } from './results.ts'
import { plot } from './svg.ts'

/**
 * The pages that show results. Their text is written by hand; what stands between `<!-- bench NAME -->` and `<!-- /bench -->` is
 * made from the results. NAME is that of a benchmark, of one of its sections (`growth/numbers`), or `summary`.
 */

const root = new URL('../../', import.meta.url)
const PAGES = ['README.md', 'docs/operate/performance.md', 'docs/guide/typed-client.md']

/** Every file that is made from results, by its path from the root. */
export function madeFiles(results: readonly Result[], read: (file: string) => string): Map<string, string> {
  const made = new Map(PAGES.map((page) => [page, filled(read(page), results)]))
  for (const result of results)
    for (const section of result.sections)
      if (section.kind === 'curve') made.set(`docs/operate/${plotFile(result, section)}`, plot(section))
  return made
}

/** Writes them. */
export function writePages(): void {
  mkdirSync(new URL('docs/operate/performance/', root), { recursive: true })
  for (const [file, text] of madeFiles(keptResults(), readPage)) writeFileSync(new URL(file, root), text)
}

export const readPage = (file: string): string => readFileSync(fileURLToPath(new URL(file, root)), 'utf8')

/** A page with what stands between its markers made again. Throws where a marker names nothing. */
export function filled(text: string, results: readonly Result[]): string {
  return text.replaceAll(
    /(<!-- bench (\S+) -->\n)[\s\S]*?(<!-- \/bench -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${blockOf(name, results)}\n${end}`,
  )
}

function blockOf(name: string, results: readonly Result[]): string {
  if (name === 'summary') return `${summaryTable(results)}\n`
  const [bench, only] = name.split('/')
  const result = results.find((each) => each.bench === bench)
  if (!result) return `Not measured yet: \`npm run bench -- ${bench} --write\`.\n`
  const sections = result.sections.filter((section) => only === undefined || section.name === only)
  if (sections.length === 0) throw new Error(`${bench} has no section ${only}`)
  return [...sections.map((section) => blockSection(result, section)), `*${provenance(result)}*\n`].join('\n')
}

function blockSection(result: Result, section: Section): string {
  const picture = section.kind === 'curve' ? `![${section.title}](${plotFile(result, section)})\n\n` : ''
  return picture + sectionMarkdown(section)
}
