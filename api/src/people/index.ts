/** People: how they sign in, what they have, who may use an account, and the keys that they make for it. */
export * from './members.ts'
export * from './own-keys.ts'
export * from './person.ts'
export * from './sessions.ts'
export { passwordLength, passwordTooShort } from '../password-rule.ts'
export type { SecondFactor } from './shapes.ts'
export * from './sign-in.ts'
