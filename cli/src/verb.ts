import type { operations } from '@demarc/client'
import type { Context } from './context.ts'
import type { Input } from './input.ts'

/** The declaration of a command. The parser, help, completion, and docs/reference/cli are built from it. */

export type OperationName = keyof typeof operations

/** Values for shell completion: fixed ones, or those that a request to the service returns within its time limit. */
export type Completion =
  | readonly string[]
  | ((context: Context, input: Input) => Promise<readonly { value: string; summary?: string }[]>)

export interface Argument {
  /** As displayed: `number` is shown as `<number>`. */
  name: string
  summary: string
  optional?: boolean
  /** Takes all remaining words; only the last argument can. */
  many?: boolean
  complete?: Completion
  /** Converts it to the form that the API takes. */
  read?: (text: string) => string
}

export interface Option {
  /** Without the dashes: `street-number`. */
  name: string
  short?: string
  /** The value as displayed: `text`, `file`, `id`. Without one, the option is a switch. */
  value?: string
  summary: string
  /** The only allowed values. */
  choices?: readonly string[]
  required?: boolean
  /** May be given several times, or with several values. */
  many?: boolean
  complete?: Completion
}

export interface Verb {
  name: string
  /** One line in the imperative, without a period. */
  summary: string
  /** Sentences below the usage. */
  description?: string
  /** The API operations it uses; a test finds operations that no verb uses. */
  operations?: readonly OperationName[]
  arguments?: readonly Argument[]
  /** A function if they are derived from an operation, which takes a moment. */
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

/** Options shared by several verbs, so they look the same everywhere. */
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
