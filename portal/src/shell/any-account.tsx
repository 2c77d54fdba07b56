import { useState, type ReactElement } from 'react'
import { type MenuEntry, SearchMenu } from '../ui/index.ts'
import { useAccountSearch } from './account-search.ts'

interface AnyAccountProps {
  trigger: ReactElement
  own: readonly MenuEntry[]
  onSee(account: string): void
}

/** Searches all accounts. */
export function AnyAccount({ trigger, own, onSee }: AnyAccountProps) {
  const [text, setText] = useState('')
  const found = useAccountSearch(text)
  const accounts = found
    .filter(({ id }) => !own.some((each) => each.id === id))
    .map(({ id, attributes: { name } }) => ({ id, label: name, hint: id, onAction: () => onSee(id) }))
  return (
    <SearchMenu
      label="Account"
      placeholder="Name or id"
      text={text}
      onText={setText}
      trigger={trigger}
      sections={[...(text === '' ? [{ title: 'Yours', entries: own }] : []), { title: 'Accounts', entries: accounts }]}
    />
  )
}
