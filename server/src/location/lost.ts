import {
  type CanonicalAddress,
  CIVIC,
  CIVIC_EXTENSION,
  canonicalAddress,
  cityKey,
  civicAddressXml,
  civicElements,
  CivicReader,
  countryOfState,
  ELEMENTS,
  type ElementVerdicts,
  escapeXml,
  LOST,
  parseHouseNumber,
  postalCode,
  readXml,
  SIMILAR,
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
  /** The elements of the request, each name once. */
  sent: readonly SentElement[]
  /** The municipality, if the address was validated with another name of the place. */
  municipality: string
}

interface SentElement {
  namespace: string
  name: string
  /** Its value is part of the validated address. */
  was_read: boolean
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
  const root = readXml(text)
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
  const reader = new CivicReader(element)
  const address = readCivic(reader)
  if (typeof address === 'string') return { error: { name: 'locationInvalid', message: address } }
  const municipality = reader.peek('A3')
  // both are checked only if they are the same place
  if (cityKey(municipality) === address.city_key) reader.value('A3')
  return { id: civic.attributes.get('id') ?? '', address, sent: sentElements(element, reader), municipality }
}

function sentElements({ children }: XmlElement, reader: CivicReader): SentElement[] {
  const sent = new Map<string, SentElement>()
  for (const element of children) {
    const { namespace, name } = element
    const id = `${namespace} ${name}`
    const was_read = reader.wasRead(element) && sent.get(id)?.was_read !== false
    sent.set(id, { namespace, name, was_read })
  }
  return [...sent.values()]
}

/** The address in an element, or an error message. */
function readCivic(civic: CivicReader): CanonicalAddress | string {
  const state = civic.value('A1').toUpperCase()
  const country = countryOfState(state)
  if (country === undefined || country !== (civic.value('country').toUpperCase() || country))
    return 'A1 must be the two letters of a state or province, and country must be US or CA.'
  const zip = postalCode(civic.value('PC'), country)
  const city = civic.value('PCN', 'A3')
  const street_name = civic.peek('RD') === '' ? civic.value('A6') : civic.street()
  if (zip === undefined || city === '' || street_name === '') return 'A location must have PC, A3 or PCN, and RD.'
  const [number, suffix] = [civic.value('HNP') + civic.value('HNO'), civic.value('HNS')]
  const parsedNumber = parseHouseNumber(/^\d/.test(suffix) ? `${number} ${suffix}` : number + suffix, country)
  if (typeof parsedNumber === 'string') return `HNO: ${parsedNumber}`
  return canonicalAddress({ country, state, zip, city, street_name, number: parsedNumber })
}

function child(parent: XmlElement, namespace: string, name: string): XmlElement | undefined {
  return parent.children.find((one) => one.namespace === namespace && one.name === name)
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Elements of the request that belong to one of our elements. */
const SENT_AS: Partial<Record<(typeof ELEMENTS)[number], readonly string[]>> = {
  A3: ['A3', 'PCN'],
  RD: ['PRM', 'RD', 'POM', 'A6'],
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
  /** The city of the data if it isn't the validated one; otherwise empty. */
  community: string
  similar: readonly CanonicalAddress[]
}

/** A `findServiceResponse`. A mapping without a URI only has the number to call. */
export function findServiceResponse(response: FindServiceResponse): string {
  const { request, source, now, psap } = response
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
    request.validates ? validation(response) : ''
  }${warnings.length === 0 ? '' : `<warnings source="${escapeXml(source)}">${warnings.join('')}</warnings>`}${via(source)}<locationUsed id="${escapeXml(request.location.id)}"/></findServiceResponse>\n`
}

const warning = (name: string, message: string) => `<${name} message="${escapeXml(message)}" xml:lang="en"/>`

const via = (source: string) => `<path><via source="${escapeXml(source)}"/></path>`

/** Every element of the request is valid, invalid, or unchecked (RFC 5222, 8.4.2). Elements without a namespace have no QName. */
function validation({
  request: { location, wants_similar },
  elements,
  community,
  similar,
}: FindServiceResponse): string {
  const sent = location.sent.filter(({ namespace }) => namespace !== '')
  const among = (verdicts: readonly (typeof ELEMENTS)[number][]) =>
    verdicts.flatMap((verdict) =>
      sent.filter(
        ({ namespace, name, was_read }) =>
          was_read &&
          (namespace === CIVIC || namespace === CIVIC_EXTENSION) &&
          (SENT_AS[verdict] ?? [verdict]).includes(name),
      ),
    )
  // the 911 community of the matched street
  const isCommunity = ({ namespace, name }: SentElement) =>
    name === 'A3' && namespace === CIVIC && community !== '' && cityKey(location.municipality) === cityKey(community)
  const valid = [...new Set([...among(elements.valid), ...sent.filter(isCommunity)])]
  const invalid = among(elements.invalid)
  const unchecked = sent.filter((one) => !valid.includes(one) && !invalid.includes(one))
  const prefixes = new Map([[CIVIC, 'ca']])
  for (const { namespace } of sent)
    if (!prefixes.has(namespace)) prefixes.set(namespace, namespace === CIVIC_EXTENSION ? 'cae' : `n${prefixes.size}`)
  const declared = [...prefixes].map(([namespace, prefix]) =>
    namespace === CIVIC ? '' : ` xmlns:${prefix}="${escapeXml(namespace)}"`,
  )
  const listed = (list: string, names: readonly SentElement[]) =>
    names.length === 0
      ? ''
      : `<${list}>${names.map(({ namespace, name }) => `${prefixes.get(namespace)}:${name}`).join(' ')}</${list}>`
  const locations = wants_similar ? similar.map(similarLocation).join('') : ''
  return `<locationValidation${declared.join('')}>${listed('valid', valid)}${listed('invalid', invalid)}${listed('unchecked', unchecked)}${locations}</locationValidation>`
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
