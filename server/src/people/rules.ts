import { accountRoles, operatorRoles, people, type Role } from '@demarc/client'

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
  /** Open tickets of one person; beyond this the oldest one ends. */
  tickets: 10,
  /** How long a browser stays known after a sign-in, and how many of them a person has. */
  device_days: 180,
  devices: 50,
  invitation_days: 7,
  /** Invitations mailed for one account or the operator in a day, and of those to one address. */
  mailed_per_day: 200,
  mailed_per_day_to_address: 5,
} as const

/** Names of the cookies. Over TLS they have the prefix `__Host-`. */
export const cookies = { session: 'demarc_session', device: 'demarc_device', openid: 'demarc_openid' } as const

/** The roles of an account, or of the operator when there is no account. */
export const rolesIn = (account_id: string | null): readonly Role[] =>
  account_id === null ? operatorRoles : accountRoles

/** Roles that someone must always hold; otherwise no one could grant rights. */
export const isLeading = (role: Role): boolean => role === 'owner' || role === 'operator'

/** Validates a role for an account or the operator. Returns errors by field. */
export const roleErrors = (account_id: string | null, role: Role): Record<string, string[]> =>
  rolesIn(account_id).includes(role) ? {} : { role: [`Must be one of ${rolesIn(account_id).join(', ')}.`] }

/** Whether an address is in one of the operator's own domains. */
export const isOperatorAddress = (
  { operator_domains }: { operator_domains: readonly string[] },
  email: string,
): boolean => operator_domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())

/** Validates that this address may get an operator role by an invitation that is not mailed. Returns errors by field. */
export const operatorErrors = (
  config: { operator_domains: readonly string[] },
  role: Role,
  email: string,
): Record<string, string[]> =>
  isAccountRole(role) || isOperatorAddress(config, email)
    ? {}
    : {
        email: [
          'Operator roles need an address in DEMARC_OPERATOR_DOMAINS, or an invitation by mail. Set up mail or add the domain.',
        ],
      }

const isAccountRole = (role: Role) => accountRoles.some((each) => each === role)

/** Validates a new password. Returns errors by field. */
export function passwordErrors(
  field: string,
  password: string,
  { is_common, ...person }: { email: string; name: string; is_common: boolean },
): Record<string, string[]> {
  if (password.length < people.passwordLength.min) return { [field]: [people.passwordTooShort] }
  const text = password.toLowerCase()
  const own = [person.email, person.email.split('@')[0] ?? '', person.name].map((each) => each.toLowerCase())
  if (own.includes(text)) return { [field]: ['Must not be your name or email address.'] }
  if (is_common)
    return { [field]: ['Is too common: it is among the first that attackers try. A few words in a row are better.'] }
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
