/** The door: who holds an account, who may sign in, and what signs its notifications. */
export {
  createAccount,
  createKey,
  createOperatorKey,
  requireAccount,
  rotateSigningSecret,
  signingSecrets,
} from './actions.ts'
export { createAuthentication, type Authentication } from './authenticate.ts'
export { operatorKeyNamed } from './store.ts'
