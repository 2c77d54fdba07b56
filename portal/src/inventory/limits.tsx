import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, q, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Card, Facts } from '../ui/panels.tsx'
import { Count } from '../ui/values.tsx'

type Limits = Body<'getNumberPolicy'>['data']['attributes']

/** How many numbers an account may order and reserve. */
export function NumberLimits({ account }: { account: string }) {
  const policy = useQuery(q('getNumberPolicy', { params: { account_id: account } }))
  const [open, setOpen] = useState(false)
  const readOnly = useReadOnlyReason()
  return (
    <Card
      title="Number limits"
      aside={
        <Button size="small" disabledReason={readOnly} onPress={() => setOpen(true)}>
          Change limits
        </Button>
      }
    >
      <Loaded query={policy}>
        {({ data: { attributes } }) => (
          <>
            <Facts
              facts={[
                ['Numbers on the account', limitText(attributes.numbers_max, 'No limit')],
                ['Reserved at a time', limitText(attributes.reserved_max, '100 (default)')],
              ]}
            />
            {open && <LimitsDialog account={account} limits={attributes} onClose={() => setOpen(false)} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}

const limitText = (most: number | null, none: string) => (most === null ? none : <Count of={most} />)

const wholeNumber = /^\d{0,8}$/

function LimitsDialog({ account, limits, onClose }: { account: string; limits: Limits; onClose(): void }) {
  const [numbers, setNumbers] = useState(String(limits.numbers_max ?? ''))
  const [reserved, setReserved] = useState(String(limits.reserved_max ?? ''))
  const save = useChange('setNumberPolicy')
  const valueOf = (text: string) => (text.trim() === '' ? null : Number(text))
  const isValid = [numbers, reserved].every((text) => wholeNumber.test(text.trim()))
  return (
    <FormDialog
      title="Change number limits"
      verb="Save"
      isPending={save.isPending}
      disabledReason={isValid ? null : 'Enter whole numbers, or leave a field empty.'}
      error={save.error}
      onSend={() =>
        save.mutate(
          {
            params: { account_id: account },
            body: { ...limits, numbers_max: valueOf(numbers), reserved_max: valueOf(reserved) },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <TextField
        label="Numbers on the account"
        value={numbers}
        onChange={setNumbers}
        inputMode="numeric"
        hint="Orders beyond it are refused. Port orders are not limited. Empty: no limit."
        error={fieldError(save.error, 'numbers_max')}
      />
      <TextField
        label="Reserved at a time"
        value={reserved}
        onChange={setReserved}
        inputMode="numeric"
        hint="Empty: 100."
        error={fieldError(save.error, 'reserved_max')}
      />
    </FormDialog>
  )
}
