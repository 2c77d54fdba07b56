/** The public API of accounts: customers, their keys, and the secrets that sign their notifications. */
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
export { accountToActFor, createAuthentication, type Authentication } from './authenticate.ts'
export {
  accountNamed,
  accountNames,
  existingAccounts,
  isHeld,
  keyUse,
  listAccounts,
  operatorKeyNamed,
  searchAccounts,
} from './store.ts'

/** The database's notification channel for changed keys. The payload is the access key. */
export const accessKeyChannel = 'access_key'
