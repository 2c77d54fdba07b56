import { Argument, Command, Option } from 'commander'
import { groups, nouns, topVerbs } from './catalog.ts'
import { globalOptions } from './globals.ts'
import { inputOf, type Input } from './input.ts'
import { optionsOf, type Noun, type Option as Declared, type Verb } from './verb.ts'
import { versionText } from './version.ts'

/** The parser, built from the declarations. Loads a command's file only when that command is used. */

export interface Parsed {
  verb: Verb
  input: Input
  globals: Readonly<Record<string, unknown>>
}

/** Called with the command once it is parsed. */
type Runner = (parsed: Parsed) => Promise<void>

export interface ProgramOptions {
  run: Runner
  /** Receives help and version. */
  show: (text: string) => void
  /** Called with the words of the command as soon as they are known, before its options are parsed. */
  entered: (words: string) => void
}

export function programOf(options: ProgramOptions): Command {
  const program = new Command('demarc')
  program
    .description('Numbers, voice routes, port orders, emergency addresses, caller ID names and call records.')
    .usage('<noun> <verb> [arguments] [options]')
    .version(versionText, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show this help')
    .helpCommand(false)
    .configureOutput({ writeOut: options.show, writeErr: options.show, outputError: () => undefined })
    .configureHelp(helpLayout)
    .exitOverride()
    .addHelpText('after', epilogue)
  for (const option of globalOptions) program.addOption(commanderOption(option))
  for (const group of groups) {
    for (const { name, summary } of nouns.filter((each) => each.group === group))
      program.addCommand(childOf(program, name, summary).helpGroup(`${group}:`))
    for (const { name, summary } of topVerbs.filter((each) => each.group === group))
      program.addCommand(childOf(program, name, summary).helpGroup(`${group}:`))
  }
  program.hook('preSubcommand', async (_, child) => {
    const noun = nouns.find(({ name }) => name === child.name())
    const verb = topVerbs.find(({ name }) => name === child.name())
    if (noun) addNoun(child, await noun.load(), options)
    else if (verb) addVerb(child, await verb.load(), verb.name, options)
  })
  return program
}

const epilogue = `
Examples:
  demarc login --url https://api.example.com
  demarc numbers list --starts-with 206
  demarc port list --status Rejected --json --fields id,alias,status

Each noun and each command has --help. Where settings come from, the output forms and the exit statuses:
docs/guide/command-line.md in the repository.`

const helpLayout = {
  sortSubcommands: false,
  subcommandTerm: (command: Command) => command.name(),
  optionDescription: ({ description, argChoices = [] }: Option) =>
    argChoices.length === 0 ? description : `${description}: ${argChoices.join(', ')}`,
}

function childOf(parent: Command, name: string, summary: string): Command {
  return new Command(name)
    .copyInheritedSettings(parent)
    .helpCommand(false)
    .configureHelp(helpLayout)
    .summary(summary)
    .description(summary)
}

function addNoun(command: Command, noun: Noun, options: ProgramOptions): void {
  options.entered(noun.name)
  command.description(`${noun.summary}.`).usage('<verb> [arguments] [options]')
  for (const verb of noun.verbs) command.addCommand(childOf(command, verb.name, verb.summary))
  const examples = noun.verbs.flatMap((verb) => verb.examples.slice(0, 1)).slice(0, 6)
  command.addHelpText('after', examplesText(examples))
  command.hook('preSubcommand', (_, child) => {
    const verb = noun.verbs.find(({ name }) => name === child.name())
    if (verb) addVerb(child, verb, `${noun.name} ${verb.name}`, options)
  })
}

function addVerb(command: Command, verb: Verb, words: string, { run, entered }: ProgramOptions): void {
  entered(words)
  command.description([`${verb.summary}.`, verb.description].filter(Boolean).join('\n\n'))
  const args = verb.arguments ?? []
  for (const { name, summary, optional = false, many = false } of args) {
    const shown = many ? `${name}...` : name
    command.addArgument(new Argument(optional ? `[${shown}]` : `<${shown}>`, summary))
  }
  for (const option of optionsOf(verb)) command.addOption(commanderOption(option))
  command.addHelpText(
    'after',
    `${examplesText(verb.examples)}\n\nEvery command also has the options of demarc --help, such as --json.`,
  )
  command.action(async (...values: unknown[]) => {
    const named = Object.fromEntries(args.map(({ name }, i) => [name, values[i]]))
    const options = renamed(optionsOf(verb), command)
    await run({ verb, input: inputOf(words, named, options), globals: command.optsWithGlobals() })
  })
}

/** Options by their declared names. */
const renamed = (options: readonly Declared[], command: Command): Record<string, unknown> =>
  Object.fromEntries(
    options.map((option) => [option.name, command.getOptionValue(commanderOption(option).attributeName())]),
  )

function commanderOption({ name, short, value, summary, choices, many, required }: Declared): Option {
  const flags = `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}${many ? '...' : ''}>` : ''}`
  const option = new Option(flags, summary)
  if (choices) option.choices([...choices])
  if (required) option.makeOptionMandatory()
  return option
}

const examplesText = (examples: readonly string[]): string =>
  examples.length === 0 ? '' : `\nExamples:\n${examples.map((each) => `  demarc ${each}`).join('\n')}`
