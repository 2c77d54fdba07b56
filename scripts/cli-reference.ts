import { groups, nouns, topVerbs } from '../cli/src/catalog.ts'
import { globalOptions } from '../cli/src/globals.ts'
import { optionsOf, type Noun, type Option, type Verb } from '../cli/src/verb.ts'
import { formatted, type GeneratedFile } from './generated.ts'

/** Generates docs/reference/cli from the declarations: a page for each noun. */

const made = '<!-- Generated from the declarations in cli/src/commands by `npm run check -- --write`. -->'

/** The reference pages and the portal's command list, which `npm run check` compares and writes. */
export const referencePages = async (): Promise<GeneratedFile[]> => {
  const commands = await commandsText()
  return [
    ...[...(await textsByName())].map(([name, text]) => ({ path: `docs/reference/cli/${name}`, text: () => text })),
    { path: 'portal/src/reference/commands.ts', text: () => commands },
  ]
}

/** An example command for each operation, from the verb that uses the fewest operations. */
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
  const index = groups.map((group) => {
    const entries = loaded
      .filter((each) => each.group === group)
      .map(({ noun }) => `- [${noun.name}](${noun.name}.md): ${noun.summary}.`)
    const verbs = single
      .filter((each) => each.group === group)
      .map(({ verb }) => `- [${verb.name}](${single_page}#${anchorOf(verb.name)}): ${verb.summary}.`)
    return `## ${group}\n\n${[...entries, ...verbs].join('\n')}`
  })
  return new Map([
    [
      'README.md',
      page('Commands', [usageOfAll, ...index, `## Options of every command\n\n${optionTable(globalOptions)}`]),
    ],
    ...loaded.map(({ noun }) => [`${noun.name}.md`, nounPage(noun)] as const),
    [
      single_page,
      page('Commands without a noun', [
        single.map(({ verb }) => contentsEntry(verb.name, verb)).join('\n'),
        ...single.map(({ verb }) => verbSection(verb.name, verb)),
      ]),
    ],
  ])
}

/** Single-word commands share a page. */
const single_page = 'single-commands.md'

const usageOfAll =
  '`demarc <noun> <verb> [arguments] [options]`. [The guide](../../guide/command-line.md) has the output forms, the exit statuses and where settings come from.'

/** GitHub's anchor of the heading `demarc ...`. */
const anchorOf = (words: string): string => `demarc-${words.replaceAll(' ', '-')}`

const contentsEntry = (words: string, { name, summary }: Verb): string =>
  `- [${name}](#${anchorOf(words)}): ${summary}.`

const page = (title: string, sections: readonly string[]): string =>
  `${[`# ${title}`, made, ...sections.filter((each) => each !== '')].join('\n\n')}\n`

const nounPage = ({ name, summary, verbs }: Noun): string =>
  page(`demarc ${name}`, [
    `${summary}.`,
    verbs.map((verb) => contentsEntry(`${name} ${verb.name}`, verb)).join('\n'),
    ...verbs.map((verb) => verbSection(`${name} ${verb.name}`, verb)),
    'Every command also has [these options](README.md#options-of-every-command).',
  ])

function verbSection(words: string, verb: Verb): string {
  const args = verb.arguments ?? []
  const usage = args.map(({ name, optional, many }) => {
    const shown = many ? `${name}...` : name
    return optional ? ` [${shown}]` : ` <${shown}>`
  })
  const options = optionsOf(verb)
  return [
    `## demarc ${words}`,
    `${verb.summary}.`,
    verb.description ?? '',
    `\`\`\`\ndemarc ${words}${usage.join('')}${options.length > 0 ? ' [options]' : ''}\n\`\`\``,
    args.length > 0
      ? `| Argument | |\n|---|---|\n${args.map(({ name, summary }) => row(name, summary)).join('\n')}`
      : '',
    options.length > 0 ? optionTable(options) : '',
    `\`\`\`sh\n${verb.examples.map((each) => `demarc ${each}`).join('\n')}\n\`\`\``,
    operationsOf(verb),
  ]
    .filter((each) => each !== '')
    .join('\n\n')
}

const optionTable = (options: readonly Option[]): string =>
  `| Option | |\n|---|---|\n${options.map((option) => row(`\`${flagsOf(option)}\``, summaryOf(option))).join('\n')}`

const flagsOf = ({ name, short, value, many }: Option): string =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}${many ? '...' : ''}>` : ''}`

const summaryOf = ({ summary, choices }: Option): string => (choices ? `${summary}: ${choices.join(', ')}` : summary)

/** A bar would end the cell, and angle brackets would be HTML. */
const cell = (text: string): string => text.replaceAll('|', '\\|')
const row = (first: string, second: string): string => `| ${cell(first)} | ${cell(second)}. |`

const operationsOf = ({ operations = [] }: Verb): string =>
  operations.length === 0 ? '' : `API operations: ${operations.map((name) => `\`${name}\``).join(', ')}.`
