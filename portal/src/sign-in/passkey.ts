/** Passkeys: what the browser's authenticator signs, as JSON in both directions. */

/** Whether this browser can use passkeys on this page: it needs TLS, or this machine. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

type Credential = { id: string; rawId: string; type: 'public-key'; response: Record<string, unknown> }

/** Asks for a passkey. Throws when the person cancels. */
export async function getPasskey(options: Record<string, unknown>): Promise<Credential> {
  // what the service made for this very function
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.')
  // a credential that was asked for by get() has the response of a sign-in
  return credential.toJSON() as unknown as Credential
}

/** Makes a passkey. Throws when the person cancels. */
export async function makePasskey(options: Record<string, unknown>): Promise<Credential> {
  // what the service made for this very function
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser made no passkey.')
  // a credential that was made by create() has the response of a registration
  return credential.toJSON() as unknown as Credential
}
