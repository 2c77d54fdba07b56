/** People: sign-in, profiles, account members, and the keys they create. */
export * from './members.ts'
export * from './own-keys.ts'
export * from './person.ts'
export * from './sessions.ts'
export { passwordLength, passwordTooShort } from '../password-rule.ts'
export type { SecondFactor } from './shapes.ts'
export * from './sign-in.ts'
