import type { Body } from '../api.ts'

/** Somebody who belongs to the account, or to the operator. */
export type Person = Body<'listPeople'>['data'][number]
/** An invitation that has not been accepted. */
export type Invitation = Body<'listInvitations'>['data'][number]
