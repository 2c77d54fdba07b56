import { roleAllows, type Role } from '@demarc/client/rules'
import { useSeen, useReadOnlyReason } from './account.ts'

/** Permissions by role. */
const decisions = {
  owner: 'Only owners can manage access to this account. Ask an owner.',
  manager: 'Only owners and managers can view and change this. Ask an owner to change your role.',
} as const

/** Whether the role can change what is reserved for owners, or for owners and managers. */
export const mayDecide = (role: Role | null, by: keyof typeof decisions): boolean =>
  roleAllows(role, { principals: [by], access: 'write' })

/** Why the person lacks the permission; null if they have it. */
export function useDecisionDisabledReason(by: keyof typeof decisions): string | null {
  const { role } = useSeen()
  const readOnly = useReadOnlyReason()
  return readOnly ?? (mayDecide(role, by) ? null : decisions[by])
}
