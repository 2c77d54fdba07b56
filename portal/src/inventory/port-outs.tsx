import { portouts as api } from '@demarc/client'
import { useList, type Body } from '../api.ts'
import { portoutWords } from '../numbers/port-out.tsx'
import { AccountName } from '../shell/account-search.ts'
import { commandWith } from '../shell/api-call.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { DialogButton, RowDialog } from '../shell/change-buttons.tsx'
import { Page } from '../shell/page.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import {
  Day,
  EmptyState,
  FilterBar,
  FilterBy,
  Link,
  PhoneNumber,
  RowVerbs,
  Status,
  StatusOf,
  Table,
  TwoLines,
  type Column,
} from '../ui/index.ts'
import { NewPortoutDialog } from './new-port-out.tsx'
import { PortoutDialog, verbOf } from './port-out-dialog.tsx'

type Portout = Body<'listPortouts'>['data'][number]

/** Numbers named in a row; more are counted. */
const named_max = 3

/** Which requests of other carriers wait for me, and until when? */
export function PortoutsPage() {
  const { search, filter, page, paging } = usePageSearch('/operator/port-outs')
  const { status } = search
  const query = { ...page, status }
  const portouts = useList('listPortouts', { query })
  const command = commandWith('demarc portout list', { status })
  return (
    <Page
      title="Port-outs"
      facts="Requests of other carriers to move numbers away from an account, newest first."
      call={{ operation: 'listPortouts', input: { query }, command }}
      verb={
        <DialogButton kind="primary" dialog={(close) => <NewPortoutDialog onClose={close} />}>
          Record a request
        </DialogButton>
      }
    >
      <FilterBar>
        <FilterBy label="Status" labels={portoutWords} value={status} onChange={(next) => filter({ status: next })} />
      </FilterBar>
      <PagedList query={portouts} {...paging} empty={<NoPortouts filtered={status !== undefined} />}>
        {(rows, busy) => <Table label="Port-outs" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Page>
  )
}

function NoPortouts({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="No port-outs with this status">Choose another status.</EmptyState>
  return (
    <EmptyState title="No port-outs yet">
      When another carrier asks for numbers of a customer, record the request. Demarc notifies the customer, shows the
      deadline, and keeps the numbers from being released until the port-out is final.
    </EmptyState>
  )
}

const columns: Column<Portout>[] = [
  {
    title: 'Numbers',
    head: true,
    cell: ({ attributes: { numbers, account_id } }) => (
      <TwoLines below={<AccountName of={account_id} />}>
        {numbers.slice(0, named_max).map((value, i) => (
          <span key={value}>
            {i > 0 && ', '}
            <Link to="/numbers/$number" params={{ number: value }} search={{ account: account_id }}>
              <PhoneNumber value={value} />
            </Link>
          </span>
        ))}
        {numbers.length > named_max && ` and ${(numbers.length - named_max).toLocaleString('en-US')} more`}
      </TwoLines>
    ),
  },
  {
    title: 'Gaining carrier',
    cell: ({ attributes: { gaining_carrier, gaining_spid, reference } }) => (
      <TwoLines below={`${gaining_spid} · ${reference}`}>{gaining_carrier}</TwoLines>
    ),
  },
  { title: 'Status', cell: ({ attributes }) => <PortoutState {...attributes} /> },
  { title: 'Customer', cell: ({ attributes }) => <CustomerResponse {...attributes} /> },
  {
    title: 'Change',
    verbs: true,
    cell: (portout) => (
      <RowVerbs>
        {api.portoutTransitionsFrom(portout.attributes.status).map((transition) => (
          <RowDialog
            key={transition.event}
            verb={verbOf(transition).label}
            of={`port-out ${portout.id}`}
            dialog={(close) => <PortoutDialog {...{ portout, transition }} onClose={close} />}
          />
        ))}
      </RowVerbs>
    ),
  },
]

function PortoutState({ status, complete_by, foc_date, reason_code, reason }: Portout['attributes']) {
  const below = (
    <>
      {status === 'open' && (
        <>
          Complete by <Day value={complete_by} weekday />
        </>
      )}
      {status === 'confirmed' && foc_date !== null && (
        <>
          FOC date <Day value={foc_date} weekday />
        </>
      )}
      {reason_code !== null && api.portoutReasons[reason_code]} {reason}
    </>
  )
  return (
    <TwoLines below={below}>
      <StatusOf words={portoutWords} value={status} />
    </TwoLines>
  )
}

function CustomerResponse({ customer_response, customer_comment }: Portout['attributes']) {
  if (customer_response === null) return '—'
  return (
    <TwoLines below={customer_comment}>
      {customer_response === 'disputed' ? (
        <Status meaning="refused">Disputed</Status>
      ) : (
        <Status meaning="done">Authorized</Status>
      )}
    </TwoLines>
  )
}
