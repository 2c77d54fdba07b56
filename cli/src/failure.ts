/** What a command ends with besides success. Documented in docs/guide/command-line.md. */
export const exitStatuses = {
  ok: 0,
  general: 1,
  sign_in: 2,
  not_found: 3,
  conflict: 4,
  timeout: 5,
  usage: 6,
  rate_limit: 7,
  /** 128 + SIGINT, as shells report it. */
  interrupted: 130,
  /** 128 + SIGPIPE: the reader of a pipe has gone. */
  broken_pipe: 141,
} as const

export type ExitStatus = keyof typeof exitStatuses

/** One line of an error: the field it is about, if it is about one, and the sentence. */
export interface FailureLine {
  field: string | null
  message: string
}

export interface FailureDetails {
  exit: ExitStatus
  /** The HTTP status, or a word where no response came: usage, settings, unreachable, output, timeout. */
  status: number | string
  lines: readonly FailureLine[]
  remedy?: string | undefined
  request_id?: string | null | undefined
  /** Values that the service would take instead, by field: a corrected address. */
  corrected?: Readonly<Record<string, unknown>> | undefined
  cause?: unknown
}

/** Ends a command with a message for people, a remedy and an exit status. */
export class Failure extends Error {
  readonly details: FailureDetails

  constructor(details: FailureDetails) {
    super(details.lines.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join(' '), {
      cause: details.cause,
    })
    this.name = 'Failure'
    this.details = details
  }
}

/** The command was given something that it cannot use: exit status 6. `field` is the argument or option. */
export const usage = (field: string | null, message: string, remedy?: string): Failure =>
  new Failure({ exit: 'usage', status: 'usage', lines: [{ field, message }], remedy })

/** Nothing came within the time that was given: exit status 5. */
export const timedOut = (message: string, remedy?: string): Failure =>
  new Failure({ exit: 'timeout', status: 'timeout', lines: [{ field: null, message }], remedy })
