import type { Access, Operation, Principal } from './operation.ts'

/**
 * What a person may do, by role. The server decides by it, and the portal shows beforehand what it will decide.
 */

/** Roles on an account. */
export const accountRoles = ['owner', 'manager', 'read_only'] as const
/** Roles on the side of the operator. */
export const operatorRoles = ['operator', 'operator_read_only'] as const
/** Every role. */
export const roles = [...accountRoles, ...operatorRoles] as const
/** What somebody is on an account, or for the operator. */
export type Role = (typeof roles)[number]

/** What a role is called, and what it allows. */
export const roleTexts = {
  owner: { name: 'Owner', allows: 'Everything on the account, and who else may use it.' },
  manager: { name: 'Manager', allows: 'Everything on the account, its access keys too, but not who may use it.' },
  read_only: { name: 'Read-only', allows: 'See everything on the account, and change nothing.' },
  operator: { name: 'Operator', allows: 'Everything, for all accounts.' },
  operator_read_only: { name: 'Operator, read-only', allows: 'See everything of all accounts, and change nothing.' },
} as const satisfies Record<Role, { name: string; allows: string }>

const both = ['read', 'write'] as const
const reads = ['read'] as const

/** What each role may do where an operation is open to a principal; a role that is missing may do nothing there. */
const allowed = {
  account: { owner: both, manager: both, read_only: reads, operator: both, operator_read_only: reads },
  operator: { operator: both, operator_read_only: reads },
  person: { owner: both, manager: both, read_only: both, operator: both, operator_read_only: both },
  member: { owner: both, manager: both, read_only: both, operator: both, operator_read_only: both },
  manager: { owner: both, manager: both, operator: both },
  owner: { owner: both, operator: both },
} as const satisfies Partial<Record<Principal, Partial<Record<Role, readonly Access[]>>>>

const rightsAt = (principal: Principal): Partial<Record<Role, readonly Access[]>> =>
  principal in allowed ? allowed[principal as keyof typeof allowed] : {}

/** Whether a person of this role may use an operation. Null: a person who acts neither for an account nor for the operator. */
export function roleAllows(
  role: Role | null,
  { principals, access }: { principals: readonly Principal[]; access: Operation['access'] },
): boolean {
  if (principals.includes('anyone') || principals.includes('person')) return true
  return role !== null && principals.some((principal) => rightsAt(principal)[role]?.includes(access) ?? false)
}
