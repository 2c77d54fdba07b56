import type { Body } from '../api.ts'

export type Key = Body<'listOwnKeys'>['data'][number]
