import { useState } from 'react'
import { fieldError, request, useChangeBy } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Checkbox, Columns, RadioGroup, TextField } from '../ui/index.ts'
import { NewKeySecret, type KeyOwner } from './key-dialogs.tsx'
import { scopes } from '@demarc/client'

const breadths = [
  { value: 'write', label: 'Full access', hint: 'The same access as an owner or manager.' },
  { value: 'read', label: 'Read-only', hint: 'Can read everything and change nothing.' },
  { value: 'some', label: 'Selected scopes', hint: 'For a program with a single task.' },
] as const

const features = scopes.filter((each) => each.includes(':'))

/** Creates a key, then shows its secret once. */
export function NewKeyDialog({ account: account_id, onClose }: { account: KeyOwner; onClose(): void }) {
  const [name, setName] = useState('')
  const [breadth, setBreadth] = useState<(typeof breadths)[number]['value']>('write')
  const [some, setSome] = useState<ReadonlySet<string>>(new Set())
  const make = useChangeBy(async (attributes: { name: string; scopes: string[] }) => {
    const body = { data: { type: 'access_key' as const, attributes } }
    if (account_id === null) return await request('createOwnKey', { body })
    return await request('createKey', { params: { account_id }, body })
  })
  if (make.data !== undefined) return <NewKeySecret made={make.data.data} onClose={onClose} />
  const chosen = breadth === 'some' ? [...some] : breadth === 'write' ? ['read', 'write'] : ['read']
  const disabledReason = name === '' ? 'Name the key first.' : chosen.length === 0 ? 'Choose at least one scope.' : null
  return (
    <FormDialog
      title="Create an access key"
      verb="Create the key"
      wide={breadth === 'some'}
      {...make}
      fields={['name']}
      disabledReason={disabledReason}
      onSend={() => make.mutate({ name, scopes: chosen })}
      onClose={onClose}
    >
      <TextField
        label="Key name"
        placeholder="Nightly export"
        value={name}
        onChange={setName}
        autoFocus
        error={fieldError(make.error, 'name')}
      />
      <RadioGroup label="Permissions" value={breadth} onChange={setBreadth} options={breadths} />
      {breadth === 'some' && <ScopeChoice chosen={some} onChange={setSome} />}
    </FormDialog>
  )
}

interface ScopeChoiceProps {
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
}

function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  return (
    <Columns>
      {features.map((scope) => (
        <Checkbox
          key={scope}
          isSelected={chosen.has(scope)}
          onChange={(on) => onChange(on ? chosen.union(new Set([scope])) : chosen.difference(new Set([scope])))}
        >
          <code>{scope}</code>
        </Checkbox>
      ))}
    </Columns>
  )
}
