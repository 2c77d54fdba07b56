import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** Certificates for tests, made with openssl, valid for two days unless a test chooses. */

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Makes `NAME.crt` and `NAME.key` in the folder. Returns the path of the certificate. */
export function createAuthority(folder: string, name: string): string {
  const [certificate, private_key] = [path.join(folder, `${name}.crt`), path.join(folder, `${name}.key`)]
  openssl('req', '-x509', ...key, '-days', '2', '-subj', `/CN=${name}`, '-keyout', private_key, '-out', certificate)
  return certificate
}

/** Writes a certificate for a subjectAltName, signed by an authority of `createAuthority`, with its key. */
export function createCertificate(
  authority: string,
  subject_name: string,
  { certificate, private_key }: { certificate: string; private_key: string },
  { days }: { days: number } = { days: 2 },
): void {
  const signed_by = ['-CA', authority, '-CAkey', authority.replace(/crt$/, 'key')]
  const names = ['-subj', '/CN=server', '-addext', `subjectAltName=${subject_name}`]
  openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    `${days}`,
    ...signed_by,
    ...names,
    '-keyout',
    private_key,
    '-out',
    certificate,
  )
}
