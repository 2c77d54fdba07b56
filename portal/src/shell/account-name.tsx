import { useAccountName } from './account-search.ts'

/** An account's name, for the operator's staff; its id until the name is loaded. */
export const AccountName = ({ of }: { of: string }) => useAccountName(of) ?? `Account ${of}`
