/** Passkey requests and responses as JSON. */

/** Whether passkeys work on this page: they need HTTPS or localhost. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

type Credential = { id: string; rawId: string; type: 'public-key'; response: Record<string, unknown> }

/** Requests a passkey assertion. Throws if the person cancels. */
export async function getPasskey(options: Record<string, unknown>): Promise<Credential> {
  // the service generates this for exactly this function
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.')
  // get() returns an assertion response
  return credential.toJSON() as unknown as Credential
}

/** Creates a passkey. Throws if the person cancels. */
export async function makePasskey(options: Record<string, unknown>): Promise<Credential> {
  // the service generates this for exactly this function
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser created no passkey.')
  // create() returns an attestation response
  return credential.toJSON() as unknown as Credential
}
