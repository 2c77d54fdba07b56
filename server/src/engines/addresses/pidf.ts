import type { CanonicalAddress } from './address.ts'
import { isHyphenated } from './normalize/number.ts'
import { fullTypeWord, typeAbbreviation } from './normalize/types.ts'
import { frenchDirectionLabel, fullDirection } from './normalize/words-in-names.ts'
import type { AddressType } from './normalize/unit.ts'

export const CIVIC = 'urn:ietf:params:xml:ns:pidf:geopriv10:civicAddr'
/** Elements that were added later come last, in their own namespace (RFC 6848). */
export const CIVIC_EXTENSION: string = `${CIVIC}:ext`
export const EXTENSIONS: ReadonlySet<string> = new Set(['HNP', 'STP'])

export interface PresentedAddress {
  address: CanonicalAddress
  /** The name of the person or company at the address. */
  name: string
  /** The 911 community if it isn't the postal city. */
  community?: string
}

export interface PidfOptions {
  /** The URI of the presentity at this location: `tel:+12065550100`. */
  entity: string
  /** When the address was validated; ISO 8601 in UTC. */
  timestamp: string
}

/** The element for a unit. Types without an RFC 5139 element go into LOC, which is free text. */
const UNIT_ELEMENTS: Partial<Record<AddressType, 'BLD' | 'FLR' | 'UNIT' | 'ROOM'>> = {
  Apartment: 'UNIT',
  Building: 'BLD',
  Floor: 'FLR',
  Lot: 'UNIT',
  Room: 'ROOM',
  Space: 'UNIT',
  Suite: 'UNIT',
  Trailer: 'UNIT',
  Unit: 'UNIT',
}

/** Elements with values, in the order of RFC 5139; empty ones are omitted. */
export function civicElements({ address, name, community = '' }: PresentedAddress): [name: string, value: string][] {
  const { street, number, unit, country } = address
  const french = street.language === 'fr'
  const direction = (id: string) => (french ? frenchDirectionLabel(id) : fullDirection(id))
  const abbreviation = street.type === '' ? '' : typeAbbreviation(street.type, country, street.language)
  const typeFirst = french && street.label.startsWith(`${abbreviation} `)
  const unitElement = unit ? (UNIT_ELEMENTS[unit.type] ?? 'LOC') : undefined
  const of = (element: string) => (unit && unitElement === element ? unitText(element, unit.type, unit.id) : '')
  const elements: [string, string][] = [
    ['country', country],
    ['A1', address.state],
    ['A3', community || address.city],
    ['PRD', direction(street.pre)],
    ['RD', street.name],
    ['STS', typeFirst ? '' : ((french ? undefined : fullTypeWord(abbreviation)) ?? abbreviation)],
    ['POD', direction(street.post)],
    ['HNO', /^[\d-]+/.exec(number.text)?.[0] ?? String(number.n)],
    ['HNS', [number.suffix, number.fraction].filter(Boolean).join(' ')],
    ['LOC', of('LOC')],
    ['FLR', of('FLR')],
    ['NAM', name],
    ['PC', address.zip],
    ['BLD', of('BLD')],
    ['UNIT', of('UNIT')],
    ['ROOM', of('ROOM')],
    ['PCN', community === '' ? '' : address.city],
    ['HNP', isHyphenated(number) ? '' : number.prefix],
    ['STP', typeFirst ? abbreviation : ''],
  ]
  return elements.filter(([, value]) => value !== '')
}

function unitText(element: string, type: AddressType, id: string): string {
  return element === 'UNIT' || element === 'LOC' ? `${type} ${id}` : id
}

/** A civicAddress element (RFC 5139), as in PIDF-LO and in LoST. */
export function civicAddressXml(elements: readonly (readonly [string, string])[]): string {
  const inner = elements.map(([name, value]) => {
    const namespace = EXTENSIONS.has(name) ? ` xmlns="${CIVIC_EXTENSION}"` : ''
    return `<${name}${namespace}>${escapeXml(value)}</${name}>`
  })
  return `<civicAddress xmlns="${CIVIC}">${inner.join('')}</civicAddress>`
}

/**
 * A PIDF-LO document (RFC 4119, RFC 5139) with the address as its only location. Uses a tuple, because a device element needs a
 * device id (RFC 4479) and an address is registered for numbers, not for one telephone.
 */
export function pidfLo(presented: PresentedAddress, { entity, timestamp }: PidfOptions): string {
  const civic = civicAddressXml(civicElements(presented))
  return `<?xml version="1.0" encoding="UTF-8"?>
<presence xmlns="urn:ietf:params:xml:ns:pidf" xmlns:gp="urn:ietf:params:xml:ns:pidf:geopriv10" entity="${escapeXml(entity)}"><tuple id="address"><status><gp:geopriv><gp:location-info>${civic}</gp:location-info><gp:usage-rules/><gp:method>Manual</gp:method></gp:geopriv></status><timestamp>${escapeXml(timestamp)}</timestamp></tuple></presence>
`
}

/** Includes the carriage return, which parsers read as a line feed (XML 1.0, 2.11). */
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}
// oxlint-disable-next-line no-control-regex -- not allowed in XML 1.0, escaped or not
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

export function escapeXml(text: string): string {
  return text.replace(NOT_IN_XML, '').replace(/[&<>"'\r]/g, (character) => ENTITIES[character] ?? character)
}
