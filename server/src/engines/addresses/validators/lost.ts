import { canonicalKey, type Alternative, type CanonicalAddress } from '../address.ts'
import { parseStreet } from '../normalize/street.ts'
import { parseHouseNumber } from '../normalize/number.ts'
import { cityLabel } from '../normalize/city.ts'
import { countryOfState, postalCode } from '../states.ts'
import { CivicReader } from '../civic.ts'
import { CIVIC, civicAddressXml, civicElements } from '../pidf.ts'
import type { SendHttp } from './http.ts'
import { RESPONSE_BYTES_MAX, REMOTE_TIMEOUT_MS, remoteValidator } from './remote.ts'
import {
  ELEMENTS,
  ALTERNATIVES_MAX,
  type Element,
  type ElementVerdicts,
  type Outcome,
  type Validator,
} from './validator.ts'
import { parseXml, type XmlElement } from './xml.ts'

export const LOST = 'urn:ietf:params:xml:ns:lost1'
/** draft-ietf-ecrit-similar-location */
export const SIMILAR = 'urn:ietf:params:xml:ns:lost-rli1'
/** Errors of a server that covers the area but doesn't have the address. */
const NOT_THERE = new Set(['notFound', 'locationInvalid'])

export interface LostOptions {
  /** For example `https://lvf.example/lost`. */
  url: string
  send: SendHttp
  now(): number
}

/** Validates with a Location Validation Function: a LoST server (RFC 5222) with `validateLocation`. */
export function lostValidator({ url, send: call, now }: LostOptions): Validator {
  return remoteValidator({
    name: 'lost',
    now,
    covers: () => true,
    async request(address) {
      const response = await call({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/lost+xml', accept: 'application/lost+xml' },
        body: findService(address),
        timeout_ms: REMOTE_TIMEOUT_MS,
        max_bytes: RESPONSE_BYTES_MAX,
      })
      if (response.status !== 200) throw new Error(`HTTP status ${response.status}`)
      return readResponse(parseXml(response.body), address)
    },
  })
}

/** The request includes the unit if there is an element for it, but no names of people. */
function findService(address: CanonicalAddress): string {
  const civic = civicAddressXml(civicElements({ address, name: '' }))
  return `<?xml version="1.0" encoding="UTF-8"?>
<findService xmlns="${LOST}" xmlns:rli="${SIMILAR}" recursive="true" validateLocation="true" serviceBoundary="reference" rli:returnAdditionalLocation="any"><location id="loc1" profile="civic">${civic}</location><service>urn:service:sos</service></findService>
`
}

/** Names of the elements for customers. */
const ELEMENT_NAMES: Record<string, string> = {
  A1: 'state',
  A3: 'city',
  PC: 'postal code',
  RD: 'street',
  STS: 'street type',
  PRD: 'direction before the street',
  POD: 'direction after the street',
  HNO: 'house number',
} satisfies Partial<Record<Element, string>>

function readResponse(root: XmlElement, address: CanonicalAddress): Outcome {
  if (root.namespace !== LOST) throw new Error('the response is not LoST')
  if (root.name === 'errors') return readErrors(root)
  if (root.name !== 'findServiceResponse') throw new Error(`the response is a ${root.name}`)
  const validation = child(root, LOST, 'locationValidation')
  if (!validation) throw new Error('the response has no validation of the location')
  const named = (name: string) => new Set(qualifiedNames(child(validation, LOST, name)?.text ?? ''))
  const [valid, invalid] = [named('valid'), named('invalid')]
  // free text, which no server has in its data
  invalid.delete('LOC')
  const elements = elementVerdicts(valid, invalid, named('unchecked'))
  if (invalid.size === 0) {
    // what the server left unchecked was not validated
    const level = !valid.has('RD') ? 'postal' : valid.has('HNO') ? 'address' : 'range'
    const source = { name: 'lost', vintage: mappingSource(root) }
    const psap = child(child(root, LOST, 'mapping'), LOST, 'displayName')?.text ?? ''
    return { kind: 'ok', level, source, elements, key: canonicalKey(address), community: '', esn: '', psap }
  }
  const alternatives = readAlternatives(validation, address)
  if (alternatives.length > 0) return { kind: 'correct', alternatives, elements }
  const refused = [...invalid].map((name) => ELEMENT_NAMES[name] ?? name)
  const reason = `The emergency service's data does not have this ${refused.join(', ')}. Check the address.`
  return { kind: 'not_geocodable', reason, elements }
}

function readErrors(root: XmlElement): Outcome {
  const names = root.children.map(({ name }) => name)
  if (names.length === 0 || !names.every((name) => NOT_THERE.has(name)))
    throw new Error(`the server responds with ${names.join(', ') || 'an error'}`)
  const elements = { valid: [], invalid: [], unchecked: [...ELEMENTS] }
  return {
    kind: 'not_geocodable',
    reason: "The address is not in the emergency service's data. Check the street and number.",
    elements,
  }
}

/** Drops the prefixes, which the server chooses. */
function qualifiedNames(list: string): string[] {
  return list
    .split(/\s+/)
    .filter((name) => name !== '')
    .map((name) => name.slice(name.indexOf(':') + 1))
}

function elementVerdicts(
  valid: ReadonlySet<string>,
  invalid: ReadonlySet<string>,
  unchecked: ReadonlySet<string>,
): ElementVerdicts {
  const only = (names: ReadonlySet<string>): Element[] => ELEMENTS.filter((element) => names.has(element))
  return { valid: only(valid), invalid: only(invalid), unchecked: only(unchecked) }
}

function mappingSource(root: XmlElement): string {
  return child(root, LOST, 'mapping')?.attributes.get('source') ?? ''
}

function readAlternatives(validation: XmlElement, address: CanonicalAddress): Alternative[] {
  const similar = validation.children.filter(
    ({ name, namespace }) => namespace === SIMILAR && (name === 'similarLocation' || name === 'completeLocation'),
  )
  const locations = similar.flatMap(({ children }) => children.filter(({ name }) => name === 'location'))
  return locations
    .flatMap((location) => {
      const civic = child(location, CIVIC, 'civicAddress')
      const alternative = civic ? readCivic(civic, address) : undefined
      return alternative ? [alternative] : []
    })
    .slice(0, ALTERNATIVES_MAX)
}

/** Undefined if the location lacks a required field, or its house number differs from the request. */
function readCivic(civic: XmlElement, address: CanonicalAddress): Alternative | undefined {
  const read = new CivicReader(civic)
  const value = (...names: string[]) => read.value(...names)
  const state = value('A1')
  const country = countryOfState(state)
  const zip = country === undefined ? undefined : (postalCode(value('PC'), country) ?? address.zip)
  const text = read.street()
  const city = cityLabel(value('PCN', 'A3'))
  if (country !== address.country || zip === undefined || text === '' || city === '') return undefined
  const number = parseHouseNumber(value('HNP') + value('HNO') + value('HNS'), country)
  if (value('HNO') !== '' && (typeof number === 'string' || number.key !== address.number.key)) return undefined
  const street_name = parseStreet(text, { country, state }).label
  return { street_number: address.number.text, street_name, city, state, country, zip }
}

function child(parent: XmlElement | undefined, namespace: string, name: string): XmlElement | undefined {
  return parent?.children.find((one) => one.name === name && one.namespace === namespace)
}
