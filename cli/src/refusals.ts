import { errorsOf, problems, type WireError } from '@demarc/client'
import { Failure, type ExitStatus, type FailureLine } from './failure.ts'

/** What the service refused, as a failure for people: the field, the sentence, the remedy. */

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

/** An error response, as the client's DemarcError has it. */
export interface Refusal {
  status: number
  errors: readonly WireError[]
  headers: Headers
  request_id: string | null
}

/** A response that was not read by the client. */
export async function refusalOf(response: Response, command: string): Promise<Failure> {
  const { status, headers } = response
  return failureOf(
    { status, headers, request_id: headers.get('x-request-id'), errors: await errorsOf(response) },
    command,
  )
}

/** A refusal of the service as a failure; `command` names the help that lists the fields. */
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

/** The corrected address of a refusal that has one. */
function correctionIn(errors: readonly WireError[]): Readonly<Record<string, unknown>> | undefined {
  const detail = errors.find(({ title }) => title === problems['address-correction'].title)?.detail
  return typeof detail === 'object' ? detail : undefined
}

/** One line for each sentence about a field. */
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

/** The header of the account is an option here. */
const accountLine = (message: string): FailureLine => ({
  field: '--account',
  message: /header/.test(message) ? 'Required: an operator acts for an account.' : message,
})

const correctionOf = (address: Readonly<Record<string, string | string[]>>, reason: string | undefined): string => {
  const corrected = Object.entries(address).map(([name, value]) => `${name}: ${[value].flat().join(' ')}`)
  return `The address is nearly right.${reason ? ` ${reason}` : ''} Corrected: ${corrected.join(', ')}.`
}

/** The name of the field from a JSON pointer: `/data/attributes/presets/alias` is presets.alias. */
function fieldOf(pointer: string | undefined): string | null {
  const field = (pointer ?? '').replace(/^\/(data\/)?(attributes\/)?/, '').replaceAll('/', '.')
  return field === '' ? null : field
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** What the status means by the list of problems. */
function meaningOf(status: number): string {
  const problem = Object.values(problems).find((each) => each.status === status)
  return problem?.meaning ?? 'The response is none of this service.'
}

function remedyOf({ status, headers, errors }: Refusal, command: string): string | undefined {
  const retry_after = headers.get('retry-after')
  if (status === 401) return '`demarc doctor` checks the key, `demarc login` takes another.'
  if (status === 403) return '`demarc whoami` shows whose key this is and what it may do.'
  if (status === 404) return 'Check the id, and whose account it is: `demarc whoami`.'
  if (status === 429 || status === 503) return `Try again${retry_after ? ` in ${retry_after} s` : ' later'}.`
  if (status >= 500) return 'Give the request id to the operator of the service, who finds the cause in its log.'
  if (errors[0]?.title === problems['address-correction'].title) return 'Give the corrected fields and try again.'
  if (status === 422 || status === 400) return `demarc ${command} --help shows what it takes.`
  return undefined
}
