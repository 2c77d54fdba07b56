import { useAccountName } from './account-search.ts'

/** What an account is called, for the operator's people; by its id until that is known. */
export const AccountName = ({ of }: { of: string }) => useAccountName(of) ?? `Account ${of}`
