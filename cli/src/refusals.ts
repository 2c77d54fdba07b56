import { errorsOf, problems, type WireError } from '@demarc/client'
import { Failure, type ExitStatus, type FailureLine } from './failure.ts'

/** Converts an error response to a failure with field, sentence, and remedy. */

const exits: Readonly<Record<number, ExitStatus>> = {
  401: 'sign_in',
  403: 'sign_in',
  404: 'not_found',
  408: 'timeout',
  409: 'conflict',
  410: 'not_found',
  429: 'rate_limit',
  504: 'timeout',
}

/** An error response, with the members of the client's DemarcError. */
export interface Refusal {
  status: number
  errors: readonly WireError[]
  headers: Headers
  request_id: string | null
}

/** Converts a response that the client did not read. */
export async function refusalOf(response: Response, command: string): Promise<Failure> {
  const { status, headers } = response
  return failureOf(
    { status, headers, request_id: headers.get('x-request-id'), errors: await errorsOf(response) },
    command,
  )
}

/** Converts an error response to a failure. `command` names the help that lists the fields. */
export function failureOf(error: Refusal, command: string): Failure {
  const lines = error.errors.flatMap(linesOf)
  return new Failure({
    exit: exits[error.status] ?? 'general',
    status: error.status,
    lines: lines.length > 0 ? lines : [{ field: null, message: meaningOf(error.status) }],
    remedy: remedyOf(error, command),
    request_id: error.request_id,
    corrected: correctionIn(error.errors),
    cause: error,
  })
}

/** The corrected address, if the response has one. */
function correctionIn(errors: readonly WireError[]): Readonly<Record<string, unknown>> | undefined {
  const detail = errors.find(({ title }) => title === problems['address-correction'].title)?.detail
  return typeof detail === 'object' ? detail : undefined
}

/** One line for each message about a field. */
function linesOf({ detail, title, source, status, meta }: WireError): FailureLine[] {
  if (title === problems['address-correction'].title && typeof detail === 'object')
    return [{ field: null, message: correctionOf(detail, meta?.reason) }]
  if (typeof detail === 'string') {
    return [{ field: fieldOf(source?.pointer), message: sentence(detail.trim() || meaningOf(status)) }]
  }
  const entries = Object.entries(detail)
  if (entries.length === 0) return [{ field: null, message: meaningOf(status) }]
  return entries.flatMap(([field, messages]) =>
    [messages].flat().map((message) => (field === 'Demarc-Account' ? accountLine(message) : { field, message })),
  )
}

/** The CLI has an option for the account header. */
const accountLine = (message: string): FailureLine => ({
  field: '--account',
  message: /header/.test(message) ? 'Required with an operator key.' : message,
})

const correctionOf = (address: Readonly<Record<string, string | string[]>>, reason: string | undefined): string => {
  const corrected = Object.entries(address).map(([name, value]) => `${name}: ${[value].flat().join(' ')}`)
  return `The address needs a correction.${reason ? ` ${reason}` : ''} Corrected: ${corrected.join(', ')}.`
}

/** The name of the field from a JSON pointer: `/data/attributes/presets/alias` is presets.alias. */
function fieldOf(pointer: string | undefined): string | null {
  const field = (pointer ?? '').replace(/^\/(data\/)?(attributes\/)?/, '').replaceAll('/', '.')
  return field === '' ? null : field
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** The meaning of a status in the list of problems. */
function meaningOf(status: number): string {
  const problem = Object.values(problems).find((each) => each.status === status)
  return problem?.meaning ?? 'Unexpected response. Is this a Demarc server?'
}

function remedyOf({ status, headers, errors }: Refusal, command: string): string | undefined {
  const retry_after = headers.get('retry-after')
  if (status === 401) return 'To check the key, run `demarc doctor`. To use another key, run `demarc login`.'
  if (status === 403) return 'To see the key’s account and scopes, run `demarc whoami`.'
  if (status === 404) return 'Check the ID, and check the account with `demarc whoami`.'
  if (status === 429 || status === 503) return `Try again${retry_after ? ` in ${retry_after} s` : ' later'}.`
  if (status >= 500) return 'Give the request ID to the operator of the service, who can find the cause in the log.'
  if (errors[0]?.title === problems['address-correction'].title) return 'Try again with the corrected fields.'
  if (status === 422 || status === 400) return `For usage, run demarc ${command} --help.`
  return undefined
}
