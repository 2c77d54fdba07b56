import type { Body } from '../api.ts'

/** An access key of the account. */
export type Key = Body<'listOwnKeys'>['data'][number]
