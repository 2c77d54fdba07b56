import { roleAllows, type Role } from '@demarc/client/rules'
import { useSeen, useReadOnlyReason } from './account.ts'

/** What some of the people of an account decide, and who they are. */
const decisions = {
  owner: 'Only owners decide who may use this account. Ask one of them.',
  manager: 'Only owners and managers may see and change this. Ask an owner for another role.',
} as const

/** Whether somebody of this role may change what is up to owners, or to owners and managers. */
export const mayDecide = (role: Role | null, by: keyof typeof decisions): boolean =>
  roleAllows(role, { principals: [by], access: 'write' })

/** Why the person may not change what is up to owners, or to owners and managers; null when they may. */
export function useDecisionDisabledReason(by: keyof typeof decisions): string | null {
  const { role } = useSeen()
  const readOnly = useReadOnlyReason()
  return readOnly ?? (mayDecide(role, by) ? null : decisions[by])
}
