import {
  type CanonicalAddress,
  CIVIC,
  canonicalAddress,
  civicAddressXml,
  civicElements,
  countryOfState,
  ELEMENTS,
  type ElementVerdicts,
  escapeXml,
  LOST,
  parseHouseNumber,
  parseXml,
  postalCode,
  SIMILAR,
  XmlError,
  type XmlElement,
} from '../engines/addresses/index.ts'

/** Messages of LoST (RFC 5222) and its extension for similar locations. */

/** The service of all 911 calls (RFC 5031). */
export const SOS = 'urn:service:sos'
/** SOS and its names in NENA i3. */
const SAME_AS_SOS = new Set([SOS, 'urn:nena:service:sos', 'urn:emergency:service:sos'])

export interface LostError {
  name: 'badRequest' | 'locationInvalid' | 'locationProfileUnrecognized' | 'notFound' | 'serviceNotImplemented' | 'loop'
  message: string
  /** Attributes other than the message. */
  attributes?: Readonly<Record<string, string>>
}

export interface CivicLocation {
  id: string
  address: CanonicalAddress
  /** RFC 5139 names of the elements in the request. */
  sent: readonly string[]
}

export type LostRequest =
  | {
      kind: 'findService'
      location: CivicLocation
      service: string
      /** Whether the service is a subservice of SOS, for which SOS is returned. */
      is_substituted: boolean
      validates: boolean
      wants_similar: boolean
    }
  | { kind: 'listServices'; service: string }
  | { kind: 'listServicesByLocation'; location: CivicLocation; service: string }
  | { kind: 'refused'; error: LostError }

/** Reads a request. `source` is the name of this server; a request that already passed it is a loop. */
export function readLostRequest(text: string, source: string): LostRequest {
  const root = parsed(text)
  if (typeof root === 'string') return refused('badRequest', root)
  if (root.namespace !== LOST) return refused('badRequest', `The namespace of the request must be ${LOST}.`)
  const vias = child(root, LOST, 'path')?.children ?? []
  if (vias.some(({ attributes }) => attributes.get('source') === source))
    return refused('loop', 'The request came from this server.')
  const service = child(root, LOST, 'service')?.text ?? ''
  switch (root.name) {
    case 'findService':
      return findService(root, service)
    case 'listServices':
      return { kind: 'listServices', service }
    case 'listServicesByLocation': {
      const location = readLocation(root)
      return 'error' in location
        ? { kind: 'refused', error: location.error }
        : { kind: 'listServicesByLocation', location, service }
    }
    case 'getServiceBoundary':
      return refused('notFound', 'This server has no service boundaries.')
    default:
      return refused('badRequest', `${root.name} is not a LoST request.`)
  }
}

function findService(root: XmlElement, service: string): LostRequest {
  const is_substituted = [...SAME_AS_SOS].some((sos) => service.startsWith(`${sos}.`))
  if (!SAME_AS_SOS.has(service) && !is_substituted)
    return refused('serviceNotImplemented', `This server supports only ${SOS}.`)
  const location = readLocation(root)
  if ('error' in location) return { kind: 'refused', error: location.error }
  return {
    kind: 'findService',
    location,
    service: is_substituted ? SOS : service,
    is_substituted,
    validates: ['true', '1'].includes(root.attributes.get('validateLocation') ?? ''),
    wants_similar: [...root.attributes].some(
      ([name, value]) => name.endsWith('returnAdditionalLocation') && value !== 'none',
    ),
  }
}

function parsed(text: string): XmlElement | string {
  try {
    return parseXml(text)
  } catch (error) {
    if (error instanceof XmlError) return error.message
    throw error
  }
}

const refused = (name: LostError['name'], message: string): LostRequest => ({
  kind: 'refused',
  error: { name, message },
})

/** The first location with the civic profile; clients put the best one first. */
function readLocation(root: XmlElement): CivicLocation | { error: LostError } {
  const locations = root.children.filter(({ name, namespace }) => namespace === LOST && name === 'location')
  if (locations.length === 0) return { error: { name: 'badRequest', message: 'The request has no location.' } }
  const civic = locations.find(({ attributes }) => attributes.get('profile') === 'civic')
  if (!civic) {
    const profiles = locations.map(({ attributes }) => attributes.get('profile') ?? '')
    const message = 'This server supports only the civic profile.'
    const attributes = { unsupportedProfiles: [...new Set(profiles)].join(' ') }
    return { error: { name: 'locationProfileUnrecognized', message, attributes } }
  }
  const element = child(civic, CIVIC, 'civicAddress')
  if (!element) return { error: { name: 'badRequest', message: 'The location has no civicAddress.' } }
  const address = readCivic(element)
  if (typeof address === 'string') return { error: { name: 'locationInvalid', message: address } }
  return { id: civic.attributes.get('id') ?? '', address, sent: element.children.map(({ name }) => name) }
}

/** The address in an element, or an error message. */
function readCivic(civic: XmlElement): CanonicalAddress | string {
  const value = (...names: string[]) =>
    names.map((name) => civic.children.find((one) => one.name === name)?.text ?? '').find((text) => text !== '') ?? ''
  const state = value('A1').toUpperCase()
  const country = countryOfState(state)
  if (country === undefined || country !== (value('country').toUpperCase() || country))
    return 'A1 must be the two letters of a state or province, and country must be US or CA.'
  const zip = postalCode(value('PC'), country)
  const city = value('PCN', 'A3')
  const street_name = ['PRD', 'STP', 'RD', 'STS', 'POD'].map((name) => value(name)).filter((word) => word !== '')
  if (zip === undefined || city === '' || value('RD', 'A6') === '') return 'A location must have PC, A3 or PCN, and RD.'
  const [number, suffix] = [value('HNP') + value('HNO'), value('HNS')]
  const parsedNumber = parseHouseNumber(/^\d/.test(suffix) ? `${number} ${suffix}` : number + suffix, country)
  if (typeof parsedNumber === 'string') return `HNO: ${parsedNumber}`
  const street = value('RD') === '' ? value('A6') : street_name.join(' ')
  return canonicalAddress({ country, state, zip, city, street_name: street, number: parsedNumber })
}

function child(parent: XmlElement, namespace: string, name: string): XmlElement | undefined {
  return parent.children.find((one) => one.namespace === namespace && one.name === name)
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Elements of the request that belong to one of our elements. */
const SENT_AS: Partial<Record<(typeof ELEMENTS)[number], readonly string[]>> = {
  A3: ['A3', 'PCN'],
  STS: ['STS', 'STP'],
  HNO: ['HNP', 'HNO', 'HNS'],
}

export interface FindServiceResponse {
  request: Extract<LostRequest, { kind: 'findService' }>
  source: string
  now: string
  elements: ElementVerdicts
  /** The answering point, a name or a URI; empty if the data has none. */
  psap: string
  similar: readonly CanonicalAddress[]
}

/** A `findServiceResponse`. A mapping without a URI only has the number to call. */
export function findServiceResponse({ request, source, now, elements, psap, similar }: FindServiceResponse): string {
  const is_uri = /^(sips?|tel|https?):/i.test(psap)
  const mapping = [
    psap === '' || is_uri ? '' : `<displayName xml:lang="en">${escapeXml(psap)}</displayName>`,
    `<service>${escapeXml(request.service)}</service>`,
    is_uri ? `<uri>${escapeXml(psap)}</uri>` : '',
    '<serviceNumber>911</serviceNumber>',
  ]
  const warnings = [
    ...(request.is_substituted
      ? [warning('serviceSubstitution', `${SOS} is returned instead of its subservice.`)]
      : []),
    ...(psap === '' ? [warning('defaultMappingReturned', 'The data has no answering point for this location.')] : []),
  ]
  return `${DECLARATION}<findServiceResponse xmlns="${LOST}" xmlns:ca="${CIVIC}"><mapping expires="NO-CACHE" lastUpdated="${now}" source="${escapeXml(source)}" sourceId="${request.service}">${mapping.join('')}</mapping>${
    request.validates ? validation(request, elements, similar) : ''
  }${warnings.length === 0 ? '' : `<warnings source="${escapeXml(source)}">${warnings.join('')}</warnings>`}${via(source)}<locationUsed id="${escapeXml(request.location.id)}"/></findServiceResponse>\n`
}

const warning = (name: string, message: string) => `<${name} message="${escapeXml(message)}" xml:lang="en"/>`

const via = (source: string) => `<path><via source="${escapeXml(source)}"/></path>`

/** Every element of the request is valid, invalid, or unchecked. */
function validation(
  { location: { sent }, wants_similar }: FindServiceResponse['request'],
  elements: ElementVerdicts,
  similar: readonly CanonicalAddress[],
): string {
  const among = (names: readonly (typeof ELEMENTS)[number][]) =>
    names.flatMap((name) => (SENT_AS[name] ?? [name]).filter((one) => sent.includes(one)))
  const [valid, invalid] = [among(elements.valid), among(elements.invalid)]
  const unchecked = sent.filter((name) => !valid.includes(name) && !invalid.includes(name))
  const listed = (name: string, names: readonly string[]) =>
    names.length === 0 ? '' : `<${name}>${[...new Set(names)].map((one) => `ca:${one}`).join(' ')}</${name}>`
  const locations = wants_similar ? similar.map(similarLocation).join('') : ''
  return `<locationValidation>${listed('valid', valid)}${listed('invalid', invalid)}${listed('unchecked', unchecked)}${locations}</locationValidation>`
}

function similarLocation(address: CanonicalAddress, i: number): string {
  const civic = civicAddressXml(civicElements({ address, name: '' }))
  return `<rli:similarLocation xmlns:rli="${SIMILAR}"><location id="similar-${i + 1}" profile="civic">${civic}</location></rli:similarLocation>`
}

/** The subservices of a service, or the top-level ones: this server has only SOS, without subservices. */
export function listServicesResponse(service: string, source: string, location?: CivicLocation): string {
  const name = location ? 'listServicesByLocationResponse' : 'listServicesResponse'
  const used = location ? `<locationUsed id="${escapeXml(location.id)}"/>` : ''
  return `${DECLARATION}<${name} xmlns="${LOST}"><serviceList>${service === '' ? SOS : ''}</serviceList>${via(source)}${used}</${name}>\n`
}

export function errorsDocument({ name, message, attributes = {} }: LostError, source: string): string {
  const all = Object.entries({ ...attributes, message }).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  return `${DECLARATION}<errors xmlns="${LOST}" source="${escapeXml(source)}"><${name}${all.join('')} xml:lang="en"/></errors>\n`
}
