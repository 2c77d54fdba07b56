import { portouts as api } from '@demarc/client'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { qList, type Body } from '../api.ts'
import { portoutStatuses, type PortoutsSearch } from '../operator/search.ts'
import { AccountName } from '../shell/account-search.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { Button, RowVerb } from '../ui/button.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { Link } from '../ui/link.tsx'
import { EmptyState, PageHead, RowVerbs, Soft, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Day, PhoneNumber } from '../ui/values.tsx'
import { NewPortoutDialog } from './new-port-out.tsx'
import { PortoutDialog, verbOf, type PortoutTransition } from './port-out-dialog.tsx'
import { portoutWords } from '../numbers/port-out.tsx'

export type Portout = Body<'listPortouts'>['data'][number]
interface Opened {
  portout: Portout
  transition: PortoutTransition
}

const limit = 50
/** Numbers named in a row; more are counted. */
const named_max = 3

/** Which requests of other carriers wait for me, and until when? */
export function PortoutsPage() {
  const { status, offset } = useSearch({ from: '/signed-in/operator/port-outs' })
  const change: (next: PortoutsSearch) => void = useChangeSearch('/operator/port-outs')
  const query = { limit, ...(offset && { offset }), ...(status && { status }) }
  const portouts = useQuery(qList('listPortouts', { query }))
  const [opened, setOpened] = useState<Opened | null>(null)
  const [recording, setRecording] = useState(false)
  const readOnly = useReadOnlyReason()
  return (
    <Stack>
      <PageHead
        title="Port-outs"
        facts="Requests of other carriers to move numbers away from an account, newest first."
        verb={
          <>
            <ShowAsApiCall operation="listPortouts" input={{ query }} command="demarc portout list" />
            <Button kind="primary" disabledReason={readOnly} onPress={() => setRecording(true)}>
              Record a request
            </Button>
          </>
        }
      />
      <FilterBar>
        <FilterChips
          label="Status"
          options={portoutStatuses.map((value) => ({ value, label: portoutWords[value].label }))}
          value={status ?? null}
          onChange={(next) => change({ status: next ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <PagedList
        query={portouts}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={6}
        empty={<NoPortouts filtered={status !== undefined} />}
      >
        {(rows, busy) => <Table label="Port-outs" columns={columnsOf(setOpened, readOnly)} rows={rows} busy={busy} />}
      </PagedList>
      {opened !== null && <PortoutDialog {...opened} onClose={() => setOpened(null)} />}
      {recording && <NewPortoutDialog onClose={() => setRecording(false)} />}
    </Stack>
  )
}

function NoPortouts({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="No port-outs with this status">Choose another status.</EmptyState>
  return (
    <EmptyState title="No port-outs yet">
      <p>
        When another carrier asks for numbers of a customer, record the request. Demarc notifies the customer, shows the
        deadline, and keeps the numbers from being released until the port-out is final.
      </p>
    </EmptyState>
  )
}

const columnsOf = (open: (opened: Opened) => void, readOnly: string | null): Column<Portout>[] => [
  {
    title: 'Numbers',
    head: true,
    cell: ({ attributes: { numbers, account_id } }) => (
      <>
        {numbers.slice(0, named_max).map((value, i) => (
          <span key={value}>
            {i > 0 && ', '}
            <Link to="/numbers/$number" params={{ number: value }} search={{ account: account_id }}>
              <PhoneNumber value={value} />
            </Link>
          </span>
        ))}
        {numbers.length > named_max && ` and ${(numbers.length - named_max).toLocaleString('en-US')} more`}
        <Soft below>
          <AccountName of={account_id} />
        </Soft>
      </>
    ),
  },
  {
    title: 'Gaining carrier',
    cell: ({ attributes: { gaining_carrier, gaining_spid, reference } }) => (
      <>
        {gaining_carrier}
        <Soft below>
          {gaining_spid} · {reference}
        </Soft>
      </>
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
          <RowVerb
            key={transition.event}
            verb={verbOf(transition).label}
            of={`port-out ${portout.id}`}
            disabledReason={readOnly}
            onPress={() => open({ portout, transition })}
          />
        ))}
      </RowVerbs>
    ),
  },
]

function PortoutState({ status, complete_by, foc_date, reason_code, reason }: Portout['attributes']) {
  const { label, meaning } = portoutWords[status]
  return (
    <>
      <Status meaning={meaning}>{label}</Status>
      <Soft below>
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
      </Soft>
    </>
  )
}

function CustomerResponse({ customer_response, customer_comment }: Portout['attributes']) {
  if (customer_response === null) return '—'
  return (
    <>
      {customer_response === 'disputed' ? (
        <Status meaning="refused">Disputed</Status>
      ) : (
        <Status meaning="done">Authorized</Status>
      )}
      {customer_comment !== null && <Soft below>{customer_comment}</Soft>}
    </>
  )
}
