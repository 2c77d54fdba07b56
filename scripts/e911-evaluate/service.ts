import { openAsBlob } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Address } from './source.ts'

/** The evaluated service, used only through its HTTP API. */

export interface Keys {
  access_key: string
  secret_key: string
}

export interface EvaluatedService {
  base_url: string
  keys: { account: Keys; operator: Keys }
}

export interface Corrected {
  street_number: string
  street_name: string
  city: string
  state: string
  country: string
  zip: string
}

export type Outcome =
  | { kind: 'accepted' }
  | { kind: 'corrected'; alternatives: Corrected[] }
  | { kind: 'fields'; names: string[] }
  | { kind: 'refused'; reason: string }

const MEDIA_TYPE = 'application/vnd.api+json'
/** A name for test addresses. */
const PERSON = { label: 'Evaluated', first_name: 'Ada', last_name: 'Byron' }

/** Validates one address. Throws for a response outside the contract. */
export async function validate(service: EvaluatedService, address: Address | Corrected): Promise<Outcome> {
  const response = await post(service, '/v2/e911s/validate', address)
  const text = await response.text()
  if (response.status === 204) return { kind: 'accepted' }
  const errors = errorsOf(text)
  const [first] = errors
  if (response.status === 400 && first) return { kind: 'refused', reason: String(first.detail) }
  if (response.status !== 422 || !first) throw new Error(`${response.status} ${text.slice(0, 500)}`)
  if (first.title !== 'Address Correction Required') {
    const names = typeof first.detail === 'object' && first.detail !== null ? Object.keys(first.detail) : []
    return { kind: 'fields', names }
  }
  return { kind: 'corrected', alternatives: errors.flatMap(({ detail }) => (isCorrected(detail) ? [detail] : [])) }
}

/** The level of an accepted address. Saves and deletes the address, because only saved addresses show their level. */
export async function levelOf(service: EvaluatedService, address: Address): Promise<string | null> {
  const response = await post(service, '/v2/e911s', address)
  const text = await response.text()
  if (response.status !== 201) return null
  // the contract's document of an address
  const { data } = JSON.parse(text) as { data: { id: string; attributes: { validation: { level: string } } } }
  await fetch(`${service.base_url}/v2/e911s/${data.id}`, {
    method: 'DELETE',
    headers: { authorization: authorization(service.keys.account) },
  })
  return data.attributes.validation.level
}

async function post(service: EvaluatedService, path: string, address: Address | Corrected): Promise<Response> {
  const fields = 'street' in address ? fieldsOf(address) : address
  return await fetch(service.base_url + path, {
    method: 'POST',
    headers: {
      authorization: authorization(service.keys.account),
      'content-type': MEDIA_TYPE,
      accept: MEDIA_TYPE,
    },
    body: JSON.stringify({ data: { type: 'e911', attributes: { ...fields, ...PERSON } } }),
  })
}

export function fieldsOf({ number, street, city, state, country, zip }: Address): Corrected {
  return { street_number: number, street_name: street, city, state, country, zip }
}

const authorization = ({ access_key, secret_key }: Keys) =>
  `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`

interface ErrorObject {
  title?: string
  detail: unknown
}

function errorsOf(text: string): ErrorObject[] {
  const parsed: unknown = JSON.parse(text)
  // every error response of the contract has a list of errors
  return typeof parsed === 'object' && parsed !== null && 'errors' in parsed ? (parsed.errors as ErrorObject[]) : []
}

function isCorrected(detail: unknown): detail is Corrected {
  return typeof detail === 'object' && detail !== null && 'street_name' in detail && 'street_number' in detail
}

/** Imports a file of street data and waits until it is active. `query` has the import parameters. */
export async function load(
  service: EvaluatedService,
  file: string | Blob,
  query: Readonly<Record<string, string>>,
): Promise<void> {
  const body = typeof file === 'string' ? await openAsBlob(file) : file
  const headers = { authorization: authorization(service.keys.operator) }
  const sent = new URLSearchParams({ activate: 'true', ...query }).toString()
  const begun = await fetch(`${service.base_url}/operator/e911/datasets?${sent}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body,
  })
  if (!begun.ok) throw new Error(`The import was refused: ${begun.status} ${await begun.text()}`)
  let dataset = await datasetOf(begun)
  while (dataset.attributes.status === 'loading') {
    await sleep(POLL_MS)
    dataset = await datasetOf(await fetch(`${service.base_url}/operator/e911/datasets/${dataset.id}`, { headers }))
  }
  // the evaluation uses the file as is, without an operator's review
  if (dataset.attributes.status === 'held')
    dataset = await datasetOf(
      await fetch(`${service.base_url}/operator/e911/datasets/${dataset.id}/activate?force=true`, {
        method: 'POST',
        headers,
      }),
    )
  const { status, failure_reason } = dataset.attributes
  if (status !== 'active') throw new Error(`The import is ${status}: ${failure_reason ?? 'it was not activated'}`)
}

const POLL_MS = 100

interface Dataset {
  id: string
  attributes: { status: string; failure_reason: string | null }
}

async function datasetOf(response: Response): Promise<Dataset> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  // the contract's document of a dataset
  return ((await response.json()) as { data: Dataset }).data
}
