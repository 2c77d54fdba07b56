import { useState } from 'react'
import { fieldError } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Checkbox, RadioGroup, TextField } from '../ui/field.tsx'
import { Columns } from '../ui/panels.tsx'
import { NewKeySecret } from './key-dialogs.tsx'
import { useMakeKey, type KeyOwner } from './key-operations.ts'
import { scopes } from '@demarc/client'

const breadths = [
  { value: 'write', label: 'Read and change everything', hint: 'As an owner or manager may.' },
  { value: 'read', label: 'Read everything', hint: 'And change nothing.' },
  { value: 'some', label: 'Some of it', hint: 'For a program that does one thing.' },
] as const

const features = scopes.filter((each) => each.includes(':'))

/** Makes a key, and then shows its secret: this once. */
export function NewKeyDialog({ account, onClose }: { account: KeyOwner; onClose(): void }) {
  const [name, setName] = useState('')
  const [breadth, setBreadth] = useState<string>('write')
  const [some, setSome] = useState<ReadonlySet<string>>(new Set())
  const make = useMakeKey(account)
  if (make.data !== undefined) return <NewKeySecret made={make.data.data} onClose={onClose} />
  const chosen = breadth === 'some' ? [...some] : breadth === 'write' ? ['read', 'write'] : ['read']
  const disabledReason = name === '' ? 'Name the key first.' : chosen.length === 0 ? 'Choose at least one scope.' : null
  const send = () => make.mutate({ name, scopes: chosen })
  const wrong = fieldError(make.error, 'name')
  return (
    <FormDialog
      title="Make an access key"
      verb="Make the key"
      wide={breadth === 'some'}
      isPending={make.isPending}
      disabledReason={disabledReason}
      error={wrong === null ? make.error : null}
      onSend={send}
      onClose={onClose}
    >
      <TextField
        label="What it is for"
        placeholder="Nightly export"
        value={name}
        onChange={setName}
        autoFocus
        error={wrong}
      />
      <RadioGroup label="What it may do" value={breadth} onChange={setBreadth} options={breadths} />
      {breadth === 'some' && <ScopeChoice chosen={some} onChange={setSome} />}
    </FormDialog>
  )
}

function ScopeChoice({
  chosen,
  onChange,
}: {
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
}) {
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
