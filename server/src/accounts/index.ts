/** The door: who holds an account, who may sign in, and what signs its notifications. */
export {
  createAccount,
  createKey,
  createOperatorKey,
  demoOperatorName,
  keysWork,
  requireAccount,
  rotateSigningSecret,
  signingSecrets,
} from './actions.ts'
export { createAuthentication, type Authentication } from './authenticate.ts'
export { accountNamed, accountNames, existingAccounts, operatorKeyNamed } from './store.ts'

/** The database says on this channel that a key changed; the payload is the access key. */
export const accessKeyChannel = 'access_key'
