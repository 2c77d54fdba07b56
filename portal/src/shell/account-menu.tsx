import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { useSeen, useSession } from '../account.ts'
import { Menu, type MenuEntry } from '../ui/index.ts'
import { useAccountName } from './account-search.ts'
import css from './shell.module.css'

/** Not for customers, whose first page needs no search. */
const AnyAccount = lazy(async () => ({ default: (await import('./any-account.tsx')).AnyAccount }))

/** Switches the account in view. The operator's staff can search all accounts. */
export function AccountMenu() {
  const { memberships } = useSession()
  const { account_id, membership, side } = useSeen()
  const navigate = useNavigate()
  const isOperator = memberships.some((each) => each.account_id === null)
  const see = (account: string | undefined) => void navigate({ to: '/', search: { account } })
  const own: MenuEntry[] = memberships.map((each) => ({
    id: each.account_id ?? 'operator',
    label: each.account_name,
    onAction: () => see(each.account_id ?? undefined),
  }))
  const ownName = memberships.find((each) => each.account_id === account_id)?.account_name
  const name = useAccountName(isOperator && ownName === undefined ? account_id : null)
  const seen = side === 'operator' ? membership?.account_name : (ownName ?? name ?? `Account ${account_id}`)
  const triggerOf = (isDisabled: boolean) => (
    <AriaButton
      isDisabled={isDisabled}
      className={css.accountButton ?? ''}
      aria-label={`Account: ${seen ?? ''}. Switch account`}
    >
      <span>{seen}</span>
      <ChevronsUpDown aria-hidden="true" />
    </AriaButton>
  )
  if (isOperator)
    return (
      <Suspense fallback={triggerOf(true)}>
        <AnyAccount trigger={triggerOf(false)} own={own} onSee={see} />
      </Suspense>
    )
  if (own.length < 2) return <span className={css.account}>{seen}</span>
  return <Menu label="Account" trigger={triggerOf(false)} sections={[{ title: 'Yours', entries: own }]} />
}
