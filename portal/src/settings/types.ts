import type { Body } from '../api.ts'

/** A person of the account or of the operator. */
export type Person = Body<'listPeople'>['data'][number]
/** An open invitation. */
export type Invitation = Body<'listInvitations'>['data'][number]
