import { escapeXml, readXml, type XmlElement } from '../engines/addresses/index.ts'

/** Messages of HELD (RFC 5985) and its device identities (RFC 6155). */

const HELD = 'urn:ietf:params:xml:ns:geopriv:held'
const IDENTITY = `${HELD}:id`

/** The codes of the HELD error registry that this server uses. */
type ErrorCode =
  | 'requestError'
  | 'xmlError'
  | 'unsupportedMessage'
  | 'locationUnknown'
  | 'cannotProvideLiType'
  | 'badIdentifier'

export interface HeldError {
  code: ErrorCode
  message: string
}

export type HeldRequest = { ok: true; number: string } | { ok: false; error: HeldError }

const LOCATION_TYPES = new Set(['any', 'civic', 'geodetic', 'locationURI'])

/** Reads a `locationRequest`. The number has 11 digits. */
export function readLocationRequest(text: string): HeldRequest {
  const root = readXml(text)
  if (typeof root === 'string') return refused('xmlError', root)
  if (root.namespace !== HELD || root.name !== 'locationRequest')
    return refused('unsupportedMessage', 'This server supports only locationRequest.')
  const error = typeError(root.children.find((one) => one.namespace === HELD && one.name === 'locationType'))
  if (error) return { ok: false, error }
  const device = root.children.find((one) => one.namespace === IDENTITY && one.name === 'device')
  if (!device) return refused('badIdentifier', 'Specify the number: a device with the uri tel:+1…')
  const numbers = new Set(device.children.flatMap((identifier) => numberOf(identifier) ?? []))
  const [number, ...others] = numbers
  if (number === undefined)
    return refused(
      'badIdentifier',
      'No identifier is the URI of a number. Send tel:+12065550100 or sip:+12065550100@host.',
    )
  if (others.length > 0) return refused('badIdentifier', 'The identifiers refer to different numbers.')
  return { ok: true, number }
}

/** With `exact`, every named type must be available; without it, any location is acceptable. */
function typeError(element: XmlElement | undefined): HeldError | null {
  const types = (element?.text ?? '').split(/\s+/).filter((type) => type !== '')
  if (types.some((type) => !LOCATION_TYPES.has(type)))
    return { code: 'requestError', message: 'A locationType is any, civic, geodetic or locationURI.' }
  const exact = ['true', '1'].includes(element?.attributes.get('exact') ?? 'false')
  if (!exact || types.every((type) => type === 'any' || type === 'civic')) return null
  return { code: 'cannotProvideLiType', message: 'This server only returns civic locations by value.' }
}

/** The digits of a North American number; undefined for any other identifier. */
function numberOf({ namespace, name, text }: XmlElement): string | undefined {
  if (namespace !== IDENTITY) return undefined
  const [, digits] =
    name === 'uri'
      ? (/^(?:tel:|sips?:)(\+?[\d().-]+)(?:[;@]|$)/i.exec(text) ?? [])
      : name === 'msisdn' || name === 'mdn'
        ? (/^(\+?\d+)$/.exec(text) ?? [])
        : []
  const plain = digits?.replace(/\D/g, '') ?? ''
  return /^1\d{10}$/.test(plain) ? plain : /^\d{10}$/.test(plain) ? `1${plain}` : undefined
}

const refused = (code: ErrorCode, message: string): HeldRequest => ({ ok: false, error: { code, message } })

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** A `locationResponse` around a PIDF-LO document. */
export function locationResponse(pidf: string): string {
  return `${DECLARATION}<locationResponse xmlns="${HELD}">${pidf.replace(/^<\?xml[^>]*\?>\s*/, '').trim()}</locationResponse>\n`
}

export function errorDocument({ code, message }: HeldError): string {
  const wanted = code === 'badIdentifier' ? `<requiredIdentifiers xmlns="${IDENTITY}">uri</requiredIdentifiers>` : ''
  return `${DECLARATION}<error xmlns="${HELD}" code="${code}"><message xml:lang="en">${escapeXml(message)}</message>${wanted}</error>\n`
}
