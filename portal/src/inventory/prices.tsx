import { useState } from 'react'
import { fieldError, request, useChangeBy, useRead, type Body } from '../api.ts'
import { costColumns } from '../numbers/costs.tsx'
import { DialogButton, RowChange, RowDialog } from '../shell/change-buttons.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import {
  Card,
  EmptyLine,
  EmptyState,
  Money,
  Row,
  RowVerbs,
  Skeleton,
  Stack,
  Status,
  Table,
  TextField,
  Time,
  TwoLines,
  type Column,
} from '../ui/index.ts'
import { shortDecimal } from '../ui/text.ts'

type PriceClass = Body<'listPriceClasses'>['data'][number]
type AccountPrice = Body<'listAccountPrices'>['data'][number]

const add = <DialogButton dialog={(close) => <PriceDialog onClose={close} />}>New price class</DialogButton>

/** The prices of numbers, by class. */
export function Prices() {
  const classes = useRead('listPriceClasses')
  return (
    <Loaded query={classes} skeleton={<Skeleton rows={4} tall />}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No price classes yet" verb={add}>
            A class gives many numbers one price: <code>standard</code>, <code>vanity</code>. Name it in the column{' '}
            <code>price_class</code> when you load numbers. You can then change the price for all of them at once, or
            for one account.
          </EmptyState>
        ) : (
          <Stack gap="narrow">
            <Row>{add}</Row>
            <Table label="Price classes" columns={classColumns} rows={data} />
          </Stack>
        )
      }
    </Loaded>
  )
}

const classColumns: Column<PriceClass>[] = [
  { title: 'Class', head: true, cell: ({ id }) => id },
  ...costColumns,
  { title: 'Changed', minor: true, cell: ({ attributes }) => <Time at={attributes.changed_at} date /> },
  {
    title: 'Change',
    verbs: true,
    cell: (price) => (
      <RowDialog
        verb="Change price"
        of={`of ${price.id}`}
        dialog={(close) => <PriceDialog price={price} onClose={close} />}
      />
    ),
  },
]

/** What an account pays for each class. */
export function AccountPrices({ account }: { account: string }) {
  const prices = useRead('listAccountPrices', { params: { account_id: account } })
  return (
    <Card title="Number prices" flush>
      <Loaded query={prices}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyLine>The account pays the price of each number. Its own prices need price classes.</EmptyLine>
          ) : (
            <Table label="Number prices" columns={accountColumns(account)} rows={data} />
          )
        }
      </Loaded>
    </Card>
  )
}

const accountColumns = (account_id: string): Column<AccountPrice>[] => [
  {
    title: 'Class',
    head: true,
    cell: ({ id, attributes: { is_negotiated, list_monthly_cost, list_setup_cost } }) => {
      const list = (
        <>
          List price <Money amount={list_monthly_cost} /> monthly, <Money amount={list_setup_cost} /> setup
        </>
      )
      return <TwoLines below={is_negotiated && list}>{id}</TwoLines>
    },
  },
  {
    title: 'Price',
    cell: ({ attributes: { is_negotiated } }) =>
      is_negotiated ? <Status meaning="done">Own price</Status> : <Status meaning="quiet">List price</Status>,
  },
  ...costColumns,
  {
    title: 'Change',
    verbs: true,
    cell: (price) => (
      <RowVerbs>
        <RowDialog
          verb="Set price"
          of={`of ${price.id}`}
          dialog={(close) => <PriceDialog price={price} account={account_id} onClose={close} />}
        />
        {price.attributes.is_negotiated && (
          <RowChange
            verb="Use list price"
            of={`of ${price.id}`}
            kind="plain"
            send={() => request('removeAccountPrice', { params: { account_id, price_class: price.id } })}
          />
        )}
      </RowVerbs>
    ),
  },
]

interface PriceDialogProps {
  /** The changed price; none for a new class. */
  price?: PriceClass | AccountPrice
  /** The account that pays it; none for the price of the class. */
  account?: string
  onClose(): void
}

/** Sets the price of a class, or what an account pays for it. */
function PriceDialog({ price, account, onClose }: PriceDialogProps) {
  const [name, setName] = useState(price?.id ?? '')
  const [monthly_cost, setMonthly] = useState(shortDecimal(price?.attributes.monthly_cost ?? ''))
  const [setup_cost, setSetup] = useState(shortDecimal(price?.attributes.setup_cost ?? ''))
  const price_class = name.trim()
  const save = useChangeBy(
    (body: { monthly_cost: string; setup_cost: string }): Promise<unknown> =>
      account === undefined
        ? request('setPriceClass', { params: { price_class }, body })
        : request('setAccountPrice', { params: { price_class, account_id: account }, body }),
    onClose,
  )
  const isNamed = /^[a-z0-9][a-z0-9-]{0,29}$/.test(price_class)
  return (
    <FormDialog
      title={price === undefined ? 'New price class' : `Price of ${price.id}`}
      verb="Save"
      {...save}
      fields={['monthly_cost', 'setup_cost']}
      disabledReason={isNamed ? null : 'Enter a name of lowercase letters, digits, and hyphens.'}
      onSend={() => save.mutate({ monthly_cost: monthly_cost.trim(), setup_cost: setup_cost.trim() })}
      onClose={onClose}
    >
      {price === undefined && (
        <TextField label="Name" value={name} onChange={setName} placeholder="vanity" autoFocus maxLength={30} />
      )}
      <TextField
        label="Monthly cost, in dollars"
        value={monthly_cost}
        onChange={setMonthly}
        inputMode="decimal"
        error={fieldError(save.error, 'monthly_cost')}
      />
      <TextField
        label="Setup cost, in dollars"
        value={setup_cost}
        onChange={setSetup}
        inputMode="decimal"
        hint={
          account === undefined
            ? 'Every number of the class costs this from now on. Numbers on accounts keep their monthly cost.'
            : 'This account searches and orders at this price, whatever the class costs.'
        }
        error={fieldError(save.error, 'setup_cost')}
      />
    </FormDialog>
  )
}
