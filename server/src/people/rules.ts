import { accountRoles, operatorRoles, people, type Role } from '@demarc/client'

/** Limits of sessions and of sign-in. */
export const limits = {
  /** A session ends after this long without use. */
  idle_h: 12,
  /** A session ends after this long regardless of use. */
  session_days: 30,
  /** Sessions per person; beyond this the least recently used one ends. */
  sessions: 50,
  /** How long after confirming their identity a person may change passwords and second factors. */
  confirmed_min: 10,
  /** Time allowed for the second step of a sign-in. */
  ticket_min: 10,
  ticket_attempts: 5,
  invitation_days: 7,
} as const

/** Name of the cookie. */
export const sessionCookie = 'demarc_session'

/** The roles of an account, or of the operator when there is no account. */
export const rolesIn = (account_id: string | null): readonly Role[] =>
  account_id === null ? operatorRoles : accountRoles

/** Roles that someone must always hold; otherwise no one could grant rights. */
export const isLeading = (role: Role): boolean => role === 'owner' || role === 'operator'

/** Validates a role for an account or the operator. Returns errors by field. */
export const roleErrors = (account_id: string | null, role: Role): Record<string, string[]> =>
  rolesIn(account_id).includes(role) ? {} : { role: [`Must be one of ${rolesIn(account_id).join(', ')}.`] }

/** Validates a new password. Returns errors by field. */
export function passwordErrors(
  field: string,
  password: string,
  person: { email: string; name: string },
): Record<string, string[]> {
  if (password.length < people.passwordLength.min) return { [field]: [people.passwordTooShort] }
  const text = password.toLowerCase()
  const own = [person.email, person.email.split('@')[0] ?? '', person.name].map((each) => each.toLowerCase())
  if (own.includes(text)) return { [field]: ['Must not be your name or e-mail address.'] }
  // passwords that repeat one or two characters are guessed first
  return new Set(text).size < 5 ? { [field]: ['Must have at least five different characters.'] } : {}
}

/** A membership as sessions use it. */
export interface Rights {
  account_id: string | null
  role: Role
}

/**
 * The membership that a request uses. `act_for` is the account the request names; null: the operator, or the person's only
 * account. Returns null if the person has no such membership.
 */
export function rightsFor(memberships: readonly Rights[], act_for: string | null): Rights | null {
  const operator = memberships.find(({ account_id }) => account_id === null) ?? null
  if (act_for !== null) return memberships.find(({ account_id }) => account_id === act_for) ?? operator
  return operator ?? (memberships.length === 1 ? (memberships[0] ?? null) : null)
}
