import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/**
 * For tests: a self-signed certificate (X.509, RFC 5280) for one name, valid from ten years ago until `years` from now;
 * negative years make it expired. Node can read certificates but not create them, and a key does not belong in the repository.
 */
export function selfSigned(name: string, { years }: { years: number }): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const year = new Date().getUTCFullYear()
  const issuer = der(SEQUENCE, der(SET, der(SEQUENCE, OID_COMMON_NAME, der(UTF8_STRING, Buffer.from(name)))))
  const alternative_name = der(SEQUENCE, der(CONTEXT_2, Buffer.from(name)))
  const is_authority = der(SEQUENCE, der(BOOLEAN, Buffer.from([0xff])))
  const certificate = der(
    SEQUENCE,
    der(CONTEXT_0_OF, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    issuer,
    der(SEQUENCE, startOf(year - 10), startOf(year + years)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      CONTEXT_3_OF,
      der(
        SEQUENCE,
        der(SEQUENCE, OID_SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, alternative_name)),
        der(SEQUENCE, OID_BASIC_CONSTRAINTS, der(OCTET_STRING, is_authority)),
      ),
    ),
  )
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', certificate, privateKey))
  const signed = der(SEQUENCE, certificate, ECDSA_WITH_SHA256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${signed.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

// DER tags (X.690) and pre-encoded object identifiers.
const BOOLEAN = 0x01
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const UTF8_STRING = 0x0c
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
const CONTEXT_2 = 0x82
const CONTEXT_0_OF = 0xa0
const CONTEXT_3_OF = 0xa3
const OID_COMMON_NAME = Buffer.from('0603550403', 'hex')
const OID_SUBJECT_ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex')
const OID_BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')
const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex')

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function startOf(year: number): Buffer {
  return der(GENERALIZED_TIME, Buffer.from(`${year}0101000000Z`))
}
