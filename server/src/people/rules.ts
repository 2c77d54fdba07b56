import { accountRoles, operatorRoles, people, type Role } from '@demarc/client'

/** Limits of sessions and of what leads to one. */
export const limits = {
  /** A session that is not used for so long has ended. */
  idle_h: 12,
  /** A session ends after so long, however much it is used. */
  session_days: 30,
  /** Of one person; the least recently used ends when there would be more. */
  sessions: 50,
  /** After proving who one is, for so long passwords and second factors may be changed. */
  confirmed_min: 10,
  /** For the second step of a sign-in. */
  ticket_min: 10,
  ticket_attempts: 5,
  invitation_days: 7,
} as const

/** Name of the cookie. */
export const sessionCookie = 'demarc_session'

/** The roles of an account; without one, of the operator. */
export const rolesIn = (account_id: string | null): readonly Role[] =>
  account_id === null ? operatorRoles : accountRoles

/** The roles of which somebody must always be left: without them nobody could give rights to anybody. */
export const isLeading = (role: Role): boolean => role === 'owner' || role === 'operator'

/** Errors of a role that is given on an account or for the operator, by field. */
export const roleErrors = (account_id: string | null, role: Role): Record<string, string[]> =>
  rolesIn(account_id).includes(role) ? {} : { role: [`Must be one of ${rolesIn(account_id).join(', ')}.`] }

/** Errors of a password that somebody chooses, by field. */
export function passwordErrors(
  field: string,
  password: string,
  person: { email: string; name: string },
): Record<string, string[]> {
  if (password.length < people.passwordLength.min) return { [field]: [people.passwordTooShort] }
  const text = password.toLowerCase()
  const own = [person.email, person.email.split('@')[0] ?? '', person.name].map((each) => each.toLowerCase())
  if (own.includes(text)) return { [field]: ['Must not be your name or e-mail address.'] }
  // what repeats one or two characters is guessed first
  return new Set(text).size < 5 ? { [field]: ['Must have at least five different characters.'] } : {}
}

/** A membership as a session needs it. */
export interface Rights {
  account_id: string | null
  role: Role
}

/**
 * The membership that a request acts by. `act_for` is the account that it names, null for none: then the person acts for the operator,
 * or for the only account they have. Null: none of theirs.
 */
export function rightsFor(memberships: readonly Rights[], act_for: string | null): Rights | null {
  const operator = memberships.find(({ account_id }) => account_id === null) ?? null
  if (act_for !== null) return memberships.find(({ account_id }) => account_id === act_for) ?? operator
  return operator ?? (memberships.length === 1 ? (memberships[0] ?? null) : null)
}
