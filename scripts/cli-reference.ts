import { groups, nouns, topVerbs } from '../cli/src/catalog.ts'
import { globalOptions } from '../cli/src/globals.ts'
import { optionsOf, type Noun, type Option, type Verb } from '../cli/src/verb.ts'
import { formatted, type GeneratedFile } from './generated.ts'

/** The pages of docs/reference/cli, made from the declarations. */

const made = '<!-- Made from the declarations in cli/src/commands by `npm run check -- --write`. -->'

/** The pages, as `npm run check` compares and writes them, and the commands of the portal's reference. */
export const referencePages = async (): Promise<GeneratedFile[]> => {
  const commands = await commandsText()
  return [
    ...[...(await textsByName())].map(([name, text]) => ({ path: `docs/reference/cli/${name}`, text: () => text })),
    { path: 'portal/src/reference/commands.ts', text: () => commands },
  ]
}

/** An example of the command that does what an operation does: of the verb that needs the fewest operations besides. */
async function commandsText(): Promise<string> {
  const loaded = await Promise.all(nouns.map(({ load }) => load()))
  const verbs = [...loaded.flatMap((noun) => noun.verbs), ...(await Promise.all(topVerbs.map(({ load }) => load())))]
  const commands = new Map<string, string>()
  for (const { operations: used = [], examples } of verbs.toSorted(byOperations))
    for (const operation of used) if (!commands.has(operation)) commands.set(operation, `demarc ${examples[0]}`)
  const entries = [...commands].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return formatted(
    'commands.ts',
    `/** The command of each operation that has one. Written by \`npm run check -- --write\`. */
export const commands: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(entries))}`,
  )
}

const byOperations = (a: Verb, b: Verb): number => (a.operations ?? []).length - (b.operations ?? []).length

async function textsByName(): Promise<ReadonlyMap<string, string>> {
  const loaded = await Promise.all(nouns.map(async ({ load, group }) => ({ noun: await load(), group })))
  const single = await Promise.all(topVerbs.map(async ({ load, group }) => ({ verb: await load(), group })))
  const pages = new Map<string, string>()
  for (const { noun } of loaded) {
    pages.set(`${noun.name}.md`, nounPage(noun))
    for (const verb of noun.verbs) pages.set(fileOf(noun, verb), verbPage(`${noun.name} ${verb.name}`, verb))
  }
  for (const { verb } of single) pages.set(`${verb.name}.md`, verbPage(verb.name, verb))
  const index = groups.map((group) => {
    const entries = loaded.filter((each) => each.group === group).map(({ noun }) => linkTo(noun))
    const verbs = single.filter((each) => each.group === group).map(({ verb }) => linkTo(verb))
    return `## ${group}\n\n${[...entries, ...verbs].join('\n')}`
  })
  pages.set('README.md', page('Commands', [usageOfAll, ...index, `## Every command\n\n${optionTable(globalOptions)}`]))
  return pages
}

const usageOfAll =
  '`demarc <noun> <verb> [arguments] [options]`. [The guide](../../guide/command-line.md) has the output forms, the exit statuses and where settings come from.'

const fileOf = (noun: Noun, verb: Verb): string => `${noun.name}-${verb.name}.md`
const linkTo = ({ name, summary }: { name: string; summary: string }): string => `- [${name}](${name}.md): ${summary}.`

const page = (title: string, sections: readonly string[]): string =>
  `${[`# ${title}`, made, ...sections.filter((each) => each !== '')].join('\n\n')}\n`

const nounPage = (noun: Noun): string =>
  page(`demarc ${noun.name}`, [
    `${noun.summary}.`,
    noun.verbs.map((verb) => `- [${verb.name}](${fileOf(noun, verb)}): ${verb.summary}.`).join('\n'),
  ])

function verbPage(words: string, verb: Verb): string {
  const args = verb.arguments ?? []
  const usage = args.map(({ name, optional, many }) => {
    const shown = many ? `${name}...` : name
    return optional ? ` [${shown}]` : ` <${shown}>`
  })
  const options = optionsOf(verb)
  return page(`demarc ${words}`, [
    `${verb.summary}.`,
    verb.description ?? '',
    `\`\`\`\ndemarc ${words}${usage.join('')}${options.length > 0 ? ' [options]' : ''}\n\`\`\``,
    args.length > 0
      ? `| Argument | |\n|---|---|\n${args.map(({ name, summary }) => row(name, summary)).join('\n')}`
      : '',
    options.length > 0 ? optionTable(options) : '',
    `\`\`\`sh\n${verb.examples.map((each) => `demarc ${each}`).join('\n')}\n\`\`\``,
    operationsOf(verb),
  ])
}

const optionTable = (options: readonly Option[]): string =>
  `| Option | |\n|---|---|\n${options.map((option) => row(`\`${flagsOf(option)}\``, summaryOf(option))).join('\n')}`

const flagsOf = ({ name, short, value, many }: Option): string =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}${many ? '...' : ''}>` : ''}`

const summaryOf = ({ summary, choices }: Option): string => (choices ? `${summary}: ${choices.join(', ')}` : summary)

/** A cell ends at a bar, and brackets in angles are HTML. */
const cell = (text: string): string => text.replaceAll('|', '\\|')
const row = (first: string, second: string): string => `| ${cell(first)} | ${cell(second)}. |`

const operationsOf = ({ operations = [] }: Verb): string =>
  operations.length === 0
    ? ''
    : `Of the API: ${operations.map((name) => `\`${name}\``).join(', ')}. Every command also has [these options](README.md#every-command).`
