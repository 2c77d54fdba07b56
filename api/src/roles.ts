import type { Access, Operation, Principal } from './operation.ts'

/**
 * Permissions by role. The server enforces them, and the portal shows only permitted actions.
 */

/** Roles on an account. */
export const accountRoles = ['owner', 'manager', 'read_only'] as const
/** Roles for the operator. */
export const operatorRoles = ['operator', 'operator_read_only'] as const
/** Every role. */
export const roles = [...accountRoles, ...operatorRoles] as const
/** A person's role on an account or for the operator. */
export type Role = (typeof roles)[number]

/** Display name and permissions of each role. */
export const roleTexts = {
  owner: { name: 'Owner', allows: 'Full access to the account, including its members.' },
  manager: { name: 'Manager', allows: 'Full access to the account, including access keys, except its members.' },
  read_only: { name: 'Read-only', allows: 'Can view everything on the account, but not change anything.' },
  operator: { name: 'Operator', allows: 'Full access to all accounts.' },
  operator_read_only: {
    name: 'Operator, read-only',
    allows: 'Can view everything on all accounts, but not change anything.',
  },
} as const satisfies Record<Role, { name: string; allows: string }>

const both = ['read', 'write'] as const
const reads = ['read'] as const

/** Access by principal and role. A missing role has no access. */
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

/** Whether a role may use an operation. A null role means that the person acts for neither an account nor the operator. */
export function roleAllows(
  role: Role | null,
  { principals, access }: { principals: readonly Principal[]; access: Operation['access'] },
): boolean {
  if (principals.includes('anyone') || principals.includes('person')) return true
  return role !== null && principals.some((principal) => rightsAt(principal)[role]?.includes(access) ?? false)
}
