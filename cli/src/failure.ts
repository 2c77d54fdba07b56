/** Exit statuses, documented in docs/guide/command-line.md. */
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
  /** 128 + SIGPIPE: the reader of a pipe closed it. */
  broken_pipe: 141,
} as const

export type ExitStatus = keyof typeof exitStatuses

/** One line of an error: a sentence, and the field it refers to, if any. */
export interface FailureLine {
  field: string | null
  message: string
}

export interface FailureDetails {
  exit: ExitStatus
  /** The HTTP status, or without a response one of: usage, settings, unreachable, output, timeout. */
  status: number | string
  lines: readonly FailureLine[]
  remedy?: string | undefined
  request_id?: string | null | undefined
  /** Corrected values by field, for an address that needs a correction. */
  corrected?: Readonly<Record<string, unknown>> | undefined
  cause?: unknown
}

/** Ends a command with a message, a remedy, and an exit status. */
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

/** Invalid command line: exit status 6. `field` is the argument or option. */
export const usage = (field: string | null, message: string, remedy?: string): Failure =>
  new Failure({ exit: 'usage', status: 'usage', lines: [{ field, message }], remedy })

/** Timeout: exit status 5. */
export const timedOut = (message: string, remedy?: string): Failure =>
  new Failure({ exit: 'timeout', status: 'timeout', lines: [{ field: null, message }], remedy })
