import type { operations } from '@demarc/client'
import type { Context } from './context.ts'
import type { Input } from './input.ts'

/** How a command is declared. The parser, the help, the completion and docs/reference/cli are made from this. */

export type OperationName = keyof typeof operations

/** Values that the shell offers: fixed ones, or those that a look-up at the service finds within its time limit. */
export type Completion =
  | readonly string[]
  | ((context: Context, input: Input) => Promise<readonly { value: string; summary?: string }[]>)

export interface Argument {
  /** As it is shown: `number` is shown as `<number>`. */
  name: string
  summary: string
  optional?: boolean
  /** Takes all that follow; only the last can. */
  many?: boolean
  complete?: Completion
}

export interface Option {
  /** Without the dashes: `street-number`. */
  name: string
  short?: string
  /** What it takes, as it is shown: `text`, `file`, `id`. Absent: it is a switch. */
  value?: string
  summary: string
  /** The only values; others are refused. */
  choices?: readonly string[]
  required?: boolean
  /** May be given several times, or with several values. */
  many?: boolean
  complete?: Completion
}

export interface Verb {
  name: string
  /** One line, an imperative, without a full stop. */
  summary: string
  /** Sentences below the usage. */
  description?: string
  /** The operations of the API that it uses; a test finds those that no verb has. */
  operations?: readonly OperationName[]
  arguments?: readonly Argument[]
  /** A function where they are made from an operation, which takes a moment. */
  options?: readonly Option[] | (() => readonly Option[])
  /** Complete command lines without the leading `demarc`. */
  examples: readonly string[]
  run(context: Context, input: Input): Promise<void>
}

export interface Noun {
  name: string
  summary: string
  verbs: readonly Verb[]
}

export const optionsOf = ({ options = [] }: Verb): readonly Option[] =>
  typeof options === 'function' ? options() : options

/** Options that several verbs have, so that they read the same everywhere. */
export const shared = {
  data: {
    name: 'data',
    value: 'file',
    summary: 'JSON file with the body; - is standard input. Other options override its members',
  },
  dry_run: { name: 'dry-run', summary: 'Show the request without sending it' },
  if_not_exists: { name: 'if-not-exists', summary: 'Succeed without a change if it already exists' },
  wait: { name: 'wait', summary: 'Wait until it finishes' },
  timeout: { name: 'timeout', value: 'seconds', summary: 'Maximum wait (exit status 5 on timeout)' },
  limit: { name: 'limit', value: 'count', summary: 'Maximum number of records (default: all)' },
  output: { name: 'output', short: 'o', value: 'file', summary: 'Write to this file instead of standard output' },
} as const satisfies Record<string, Option>
