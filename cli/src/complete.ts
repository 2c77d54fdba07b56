import { nouns, topVerbs } from './catalog.ts'
import { contextOf } from './context.ts'
import { globalOptions } from './globals.ts'
import { inputOf } from './input.ts'
import { write, type Io } from './io.ts'
import { outputOf } from './output.ts'
import { resolveConnection } from './settings.ts'
import { optionsOf, type Completion, type Option, type Verb } from './verb.ts'
import { visible } from './visible.ts'

/**
 * Shell completion on Tab: `demarc complete -- WORDS`, where the last word is being typed, or `demarc complete --line LINE`
 * from shells that split words at more than spaces.
 */

interface Candidate {
  value: string
  summary?: string
}

/** Directives of the completion scripts: offer no files; let the shell offer files. */
const no_files = 4
const files = 0

/** Short, because a person is waiting. */
const time_limit_ms = 1500

export async function complete(io: Io, [form, ...rest]: readonly string[]): Promise<void> {
  const words = form === '--line' ? splitLine(rest[0] ?? '').slice(1) : rest
  const typed = words.at(-1) ?? ''
  const { candidates, directive } = await candidatesFor(io, words.slice(0, -1), typed)
  const fitting = candidates.filter(({ value }) => value.startsWith(typed))
  const lines = fitting.map(({ value, summary = '' }) => `${value}\t${visible(summary.replace(/\s+/g, ' '))}\n`)
  await write(io.stdout, `${lines.join('')}:${directive}\n`)
}

/** The words of the line being typed. The last one is empty after a space. A quote may be open. */
function splitLine(line: string): string[] {
  const words = [...line.matchAll(/(?:\\.|"[^"]*"?|'[^']*'?|[^\s"'\\])+/g)].map(([word]) =>
    word.replaceAll(/\\(.)|["']/g, (_, escaped?: string) => escaped ?? ''),
  )
  return /\s$/.test(line) ? [...words, ''] : words
}

interface Candidates {
  candidates: readonly Candidate[]
  directive: number
}

async function candidatesFor(io: Io, before: readonly string[], typed: string): Promise<Candidates> {
  const read = readWords(before, globalOptions)
  const [first, second] = read.operands
  const noun = nouns.find(({ name }) => name === first)
  const top = topVerbs.find(({ name }) => name === first)
  if (first === undefined && read.waiting === null)
    return offer(typed.startsWith('-') ? optionCandidates(globalOptions) : [...nouns, ...topVerbs].map(named))
  const loaded = await noun?.load()
  const verb = loaded ? loaded.verbs.find(({ name }) => name === second) : await top?.load()
  if (!verb)
    return offer(
      typed.startsWith('-')
        ? optionCandidates(globalOptions)
        : second === undefined
          ? (loaded?.verbs ?? []).map(named)
          : [],
    )
  return verbCandidates(io, verb, before, loaded ? 2 : 1, typed)
}

const offer = (candidates: readonly Candidate[]): Candidates => ({ candidates, directive: no_files })
const named = ({ name, summary }: { name: string; summary: string }): Candidate => ({ value: name, summary })

const optionCandidates = (options: readonly Option[]): Candidate[] =>
  options.map(({ name, summary }) => ({ value: `--${name}`, summary }))

async function verbCandidates(
  io: Io,
  verb: Verb,
  before: readonly string[],
  words: number,
  typed: string,
): Promise<Candidates> {
  const options = [...optionsOf(verb), ...globalOptions]
  const { operands, waiting, values } = readWords(before, options)
  const assigned = /^--([\w-]+)=/.exec(typed)
  const option = assigned ? options.find(({ name }) => name === assigned[1]) : waiting
  if (!option && typed.startsWith('-')) return offer(optionCandidates(options))
  const typed_args = operands.slice(words)
  const args = verb.arguments ?? []
  const argument = args[typed_args.length] ?? (args.at(-1)?.many ? args.at(-1) : undefined)
  const subject = option ?? argument
  if (!subject) return offer([])
  if (!subject.complete) return { candidates: [], directive: isFile(subject) ? files : no_files }
  const named_args = Object.fromEntries(args.map(({ name }, i) => [name, typed_args[i]]))
  const found = await valuesOf(io, subject.complete, named_args, values)
  const prefix = assigned ? (assigned[0] ?? '') : ''
  return offer(found.map(({ value, summary = '' }) => ({ value: prefix + value, summary })))
}

const isFile = (subject: { name: string; value?: string }): boolean =>
  subject.value === 'file' || subject.name === 'file'

/** Errors offer no completions: a message would corrupt the line being typed. */
async function valuesOf(
  io: Io,
  completion: Completion,
  args: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, string>>,
): Promise<readonly Candidate[]> {
  if (typeof completion !== 'function') return completion.map((value) => ({ value }))
  const limited: Io = { ...io, signal: AbortSignal.any([io.signal, AbortSignal.timeout(time_limit_ms)]) }
  const context = contextOf(limited, {
    // the form without comments
    output: outputOf(limited, { format: 'json', fields: null }),
    profile: values['profile'],
    account_id: values['account'],
    yes: false,
    connect: () => resolveConnection(limited, values['profile']),
  })
  return completion(context, inputOf('', args, values)).catch(() => [])
}

/** Splits the words that are whole into operands and options; `waiting` is an option whose value is being typed. */
function readWords(words: readonly string[], options: readonly Option[]) {
  const operands: string[] = []
  const values: Record<string, string> = {}
  let waiting: Option | null = null
  for (const word of words) {
    if (waiting !== null) {
      values[waiting.name] = word
      waiting = null
    } else if (word.startsWith('-')) {
      const [name = '', value] = word.replace(/^--?/, '').split('=')
      const option = options.find((each) => each.name === name || (each.short === name && !word.startsWith('--')))
      if (option?.value !== undefined && value === undefined) waiting = option
      else if (value !== undefined) values[name] = value
    } else operands.push(word)
  }
  return { operands, waiting, values }
}
