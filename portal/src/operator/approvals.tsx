import { request, useChange, useList, type Body } from '../api.ts'
import { WaitingOrders } from '../inventory/orders.tsx'
import { RowChange, RowDialog } from '../shell/change-buttons.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Page } from '../shell/page.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { RejectDialog } from '../shell/reject-dialog.tsx'
import {
  EmptyState,
  FilterBar,
  FilterBy,
  RowVerbs,
  Stack,
  Status,
  Table,
  TabPages,
  Time,
  TwoLines,
  useTabPage,
  type Column,
} from '../ui/index.ts'
import css from './operator.module.css'

type Cnam = Body<'listCnams'>['data'][number]

const tabs = [
  {
    to: '/operator/approvals',
    title: 'Caller ID names',
    facts: 'Caller ID names requested by customers, oldest first. An approved name can be assigned to numbers.',
    operation: 'listCnams',
    command: 'demarc cnam list --is-approved false',
    content: <Names />,
  },
  {
    to: '/operator/approvals/orders',
    title: 'Number orders',
    facts: 'Number orders above the limits of their account. Until you decide, their numbers are reserved.',
    operation: 'listNumberOrdersAsOperator',
    command: 'demarc number-order queue --status pending_approval',
    content: <WaitingOrders />,
  },
] as const

/** What needs a decision? */
export function ApprovalsPage() {
  const { facts, operation, command } = useTabPage(tabs)
  return (
    <Page title="Approvals" facts={facts} call={{ operation, command }}>
      <TabPages label="Approvals" tabs={tabs} />
    </Page>
  )
}

const nameLabels = { waiting: 'Awaiting approval', rejected: 'Rejected' } as const

/** Caller ID names that need a decision. */
function Names() {
  const { search, filter, page, paging } = usePageSearch('/operator/approvals')
  const is_rejected = search.names === 'rejected'
  const names = useList('listCnams', { query: { ...page, is_approved: false, is_rejected } })
  return (
    <Stack gap="narrow">
      <FilterBar>
        <FilterBy
          label="Names"
          labels={nameLabels}
          value={search.names ?? 'waiting'}
          onChange={(next) => filter({ names: next === 'rejected' ? next : undefined })}
        />
      </FilterBar>
      <PagedList query={names} {...paging} empty={<NoNames rejected={is_rejected} />}>
        {(rows, busy) => <Table label="Caller ID names" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

function NoNames({ rejected }: { rejected: boolean }) {
  if (rejected)
    return (
      <EmptyState title="No rejected names">
        Rejected names stay here until the customer changes or removes them. You can still approve them.
      </EmptyState>
    )
  return (
    <EmptyState title="No names awaiting approval">
      Names that customers request on their Caller ID page appear here.
    </EmptyState>
  )
}

const decisionOn = ({ id }: Cnam, attributes: { is_approved: boolean; rejection_reason?: string }) => ({
  params: { cnam_id: id },
  body: { data: { type: 'cnam' as const, attributes } },
})

const columns: Column<Cnam>[] = [
  { title: 'Name', head: true, cell: ({ attributes }) => <span className={css.inRow}>{attributes.value}</span> },
  { title: 'Account', cell: ({ attributes }) => attributes.account_name ?? attributes.account_id ?? '—' },
  { title: 'Status', cell: ({ attributes }) => <Decision {...attributes} /> },
  {
    title: 'Requested',
    minor: true,
    cell: ({ attributes: { creation_datetime: at } }) => (at === null ? '—' : <Time at={at} date />),
  },
  {
    title: 'Decision',
    verbs: true,
    cell: (cnam) => {
      const { value, rejection_reason } = cnam.attributes
      return (
        <RowVerbs>
          <RowChange
            verb="Approve"
            of={value}
            send={() => request('decideCnam', decisionOn(cnam, { is_approved: true }))}
            done={`${value} approved.`}
          />
          <RowDialog
            verb="Reject"
            of={value}
            disabledReason={rejection_reason === null ? null : 'Already rejected.'}
            dialog={(close) => <RejectName cnam={cnam} onClose={close} />}
          />
        </RowVerbs>
      )
    },
  },
]

function Decision({ rejection_reason }: Cnam['attributes']) {
  if (rejection_reason === null) return <Status meaning="needs-you">Awaiting approval</Status>
  return (
    <TwoLines below={rejection_reason}>
      <Status meaning="refused">Rejected</Status>
    </TwoLines>
  )
}

function RejectName({ cnam, onClose }: { cnam: Cnam; onClose(): void }) {
  const decide = useChange('decideCnam', onClose)
  return (
    <RejectDialog
      title={`Reject ${cnam.attributes.value}`}
      verb="Reject the name"
      hint="The customer sees the reason next to the name and can request another."
      field="rejection_reason"
      {...decide}
      onSend={(rejection_reason) => decide.mutate(decisionOn(cnam, { is_approved: false, rejection_reason }))}
      onClose={onClose}
    />
  )
}
