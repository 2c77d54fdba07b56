import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, q, refusalOf, useChange, type Body } from '../api.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Button, RowVerb } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Card, EmptyLine, EmptyState, RowVerbs, Skeleton, Soft, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { Money, Time } from '../ui/values.tsx'

type PriceClass = Body<'listPriceClasses'>['data'][number]
type AccountPrice = Body<'listAccountPrices'>['data'][number]

/** What the dialog changes: a class, or what an account pays for it. */
interface Changed {
  /** Null for a new class. */
  name: string | null
  monthly_cost: string
  setup_cost: string
  account?: string
}

/** The prices of numbers, by class. */
export function Prices() {
  const classes = useQuery(q('listPriceClasses'))
  const [changed, setChanged] = useState<Changed | null>(null)
  const readOnly = useReadOnlyReason()
  const add = (
    <Button disabledReason={readOnly} onPress={() => setChanged({ name: null, monthly_cost: '', setup_cost: '' })}>
      New price class
    </Button>
  )
  return (
    <>
      <Loaded query={classes} skeleton={<Skeleton rows={4} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No price classes yet" verb={add}>
              <p>
                A class gives many numbers one price: <code>standard</code>, <code>vanity</code>. Name it in the column{' '}
                <code>price_class</code> when you load numbers. You can then change the price for all of them at once,
                or for one account.
              </p>
            </EmptyState>
          ) : (
            <Stack gap="narrow">
              <div>{add}</div>
              <Table label="Price classes" columns={classColumns(setChanged, readOnly)} rows={data} />
            </Stack>
          )
        }
      </Loaded>
      {changed !== null && <PriceDialog changed={changed} onClose={() => setChanged(null)} />}
    </>
  )
}

const costs = <Row extends PriceClass | AccountPrice>(): Column<Row>[] => [
  { title: 'Each month', align: 'end', cell: ({ attributes }) => <Money amount={attributes.monthly_cost} /> },
  { title: 'Once', align: 'end', cell: ({ attributes }) => <Money amount={attributes.setup_cost} /> },
]

const classColumns = (change: (changed: Changed) => void, readOnly: string | null): Column<PriceClass>[] => [
  { title: 'Class', head: true, cell: ({ id }) => id },
  ...costs<PriceClass>(),
  { title: 'Changed', minor: true, cell: ({ attributes }) => <Time at={attributes.changed_at} date /> },
  {
    title: 'Change',
    verbs: true,
    cell: ({ id, attributes }) => (
      <RowVerb
        verb="Change price"
        of={`of ${id}`}
        disabledReason={readOnly}
        onPress={() => change({ name: id, ...attributes })}
      />
    ),
  },
]

/** What an account pays for each class. */
export function AccountPrices({ account }: { account: string }) {
  const prices = useQuery(q('listAccountPrices', { params: { account_id: account } }))
  const [changed, setChanged] = useState<Changed | null>(null)
  const remove = useChange('removeAccountPrice')
  const readOnly = useReadOnlyReason()
  const removePrice = (price_class: string) =>
    remove.mutate(
      { params: { account_id: account, price_class } },
      { onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }) },
    )
  return (
    <Card title="Number prices" flush>
      <Loaded query={prices}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyLine>The account pays the price of each number. Its own prices need price classes.</EmptyLine>
          ) : (
            <Table
              label="Number prices"
              columns={accountColumns(
                ({ id, attributes }) => setChanged({ name: id, ...attributes, account }),
                removePrice,
                readOnly,
              )}
              rows={data}
            />
          )
        }
      </Loaded>
      {changed !== null && <PriceDialog changed={changed} onClose={() => setChanged(null)} />}
    </Card>
  )
}

const accountColumns = (
  change: (price: AccountPrice) => void,
  remove: (price_class: string) => void,
  readOnly: string | null,
): Column<AccountPrice>[] => [
  {
    title: 'Class',
    head: true,
    cell: ({ id, attributes: { is_negotiated, list_monthly_cost, list_setup_cost } }) => (
      <>
        {id}
        {is_negotiated && (
          <Soft below>
            List price <Money amount={list_monthly_cost} /> each month, <Money amount={list_setup_cost} /> once
          </Soft>
        )}
      </>
    ),
  },
  {
    title: 'Price',
    cell: ({ attributes: { is_negotiated } }) =>
      is_negotiated ? <Status meaning="done">Own price</Status> : <Status meaning="quiet">List price</Status>,
  },
  ...costs<AccountPrice>(),
  {
    title: 'Change',
    verbs: true,
    cell: (price) => (
      <RowVerbs>
        <RowVerb verb="Set price" of={`of ${price.id}`} disabledReason={readOnly} onPress={() => change(price)} />
        {price.attributes.is_negotiated && (
          <RowVerb
            verb="Use list price"
            of={`of ${price.id}`}
            kind="plain"
            disabledReason={readOnly}
            onPress={() => remove(price.id)}
          />
        )}
      </RowVerbs>
    ),
  },
]

function PriceDialog({ changed, onClose }: { changed: Changed; onClose(): void }) {
  const { account } = changed
  const [name, setName] = useState(changed.name ?? '')
  const [monthly_cost, setMonthly] = useState(changed.monthly_cost)
  const [setup_cost, setSetup] = useState(changed.setup_cost)
  const forAll = useChange('setPriceClass')
  const forAccount = useChange('setAccountPrice')
  const { isPending, error } = account === undefined ? forAll : forAccount
  const price_class = name.trim()
  const body = { monthly_cost: monthly_cost.trim(), setup_cost: setup_cost.trim() }
  const isShown = ['monthly_cost', 'setup_cost'].some((field) => fieldError(error, field) !== null)
  const send = () =>
    account === undefined
      ? forAll.mutate({ params: { price_class }, body }, { onSuccess: onClose })
      : forAccount.mutate({ params: { price_class, account_id: account }, body }, { onSuccess: onClose })
  return (
    <FormDialog
      title={changed.name === null ? 'New price class' : `Price of ${changed.name}`}
      verb="Save"
      isPending={isPending}
      disabledReason={
        /^[a-z0-9][a-z0-9-]{0,29}$/.test(price_class) ? null : 'Enter a name of lowercase letters, digits, and hyphens.'
      }
      error={isShown ? null : error}
      onSend={send}
      onClose={onClose}
    >
      {changed.name === null && (
        <TextField label="Name" value={name} onChange={setName} placeholder="vanity" autoFocus maxLength={30} />
      )}
      <TextField
        label="Each month, in dollars"
        value={monthly_cost}
        onChange={setMonthly}
        inputMode="decimal"
        error={fieldError(error, 'monthly_cost')}
      />
      <TextField
        label="Once, in dollars"
        value={setup_cost}
        onChange={setSetup}
        inputMode="decimal"
        hint={
          account === undefined
            ? 'Every number of the class costs this from now on. Numbers on accounts keep their monthly cost.'
            : 'This account searches and orders at this price, whatever the class costs.'
        }
        error={fieldError(error, 'setup_cost')}
      />
    </FormDialog>
  )
}
