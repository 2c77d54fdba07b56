import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { WaitingOrders } from '../inventory/orders.tsx'
import { qList, refusalOf, useChange, type Body } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { RejectDialog } from '../shell/reject-dialog.tsx'
import { RowVerb } from '../ui/button.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { EmptyState, PageHead, Stack, Soft } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { TabPages, useTabPage } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.tsx'
import { Time } from '../ui/values.tsx'
import css from './operator.module.css'
import type { ApprovalsSearch } from './search.ts'
import { replacesEntry } from '../search.ts'

type Cnam = Body<'listCnams'>['data'][number]

const limit = 50

const tabs = [
  {
    to: '/operator/approvals',
    title: 'Caller-ID names',
    facts: 'Caller-ID names requested by customers, oldest first. An approved name can be assigned to numbers.',
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
    <Stack>
      <PageHead title="Approvals" facts={facts} verb={<ShowAsApiCall operation={operation} command={command} />} />
      <TabPages label="Approvals" tabs={tabs} />
    </Stack>
  )
}

/** Caller-ID names that need a decision. */
function Names() {
  const { names: which = 'waiting', offset } = useSearch({ from: '/signed-in/operator/approvals' })
  const navigate = useNavigate()
  const is_rejected = which === 'rejected'
  const query = { limit, is_approved: false, is_rejected, ...(offset && { offset }) }
  const change = (search: ApprovalsSearch) =>
    void navigate({ to: '/operator/approvals', search, replace: replacesEntry(search) })
  const names = useQuery(qList('listCnams', { query }))
  const [rejected, setRejected] = useState<Cnam | null>(null)
  const columns = columnsOf(useDecide(), setRejected, useReadOnlyReason())
  return (
    <Stack gap="narrow">
      <FilterBar>
        <FilterChips
          label="Names"
          options={[
            { value: 'waiting', label: 'Awaiting approval' },
            { value: 'rejected', label: 'Rejected' },
          ]}
          value={which}
          onChange={(next) => change(next === 'rejected' ? { names: next } : {})}
        />
      </FilterBar>
      <PagedList
        query={names}
        {...{ limit, offset }}
        onOffset={(next) => change({ ...(is_rejected && { names: 'rejected' }), ...(next && { offset: next }) })}
        skeleton_rows={6}
        empty={
          is_rejected ? (
            <EmptyState title="No rejected names">
              <p>Rejected names stay here until the customer changes or removes them. You can still approve them.</p>
            </EmptyState>
          ) : (
            <EmptyState title="No names awaiting approval">
              <p>Names that customers request on their Caller ID page appear here.</p>
            </EmptyState>
          )
        }
      >
        {(rows, busy) => <Table label="Caller-ID names" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
      {rejected !== null && <RejectName cnam={rejected} onClose={() => setRejected(null)} />}
    </Stack>
  )
}

/** Approves a name, or shows the API's refusal. */
function useDecide() {
  const decide = useChange('decideCnam')
  return ({ id, attributes: { value } }: Cnam) =>
    decide.mutate(
      { params: { cnam_id: id }, body: { data: { type: 'cnam', attributes: { is_approved: true } } } },
      {
        onSuccess: () => toast(`${value} approved.`, { kind: 'done' }),
        onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }),
      },
    )
}

const columnsOf = (
  approve: (cnam: Cnam) => void,
  reject: (cnam: Cnam) => void,
  readOnly: string | null,
): Column<Cnam>[] => [
  {
    title: 'Name',
    head: true,
    cell: ({ attributes: { value } }) => <span className={css.inRow}>{value}</span>,
  },
  {
    title: 'Account',
    cell: ({ attributes }) => attributes.account_name ?? attributes.account_id ?? '—',
  },
  {
    title: 'Status',
    cell: ({ attributes }) => <Decision {...attributes} />,
  },
  {
    title: 'Requested',
    minor: true,
    cell: ({ attributes: { creation_datetime: at } }) => (at === null ? '—' : <Time at={at} date />),
  },
  {
    title: 'Decision',
    verbs: true,
    cell: (cnam) => (
      <span className={css.inRow}>
        <RowVerb verb="Approve" of={cnam.attributes.value} disabledReason={readOnly} onPress={() => approve(cnam)} />
        <RowVerb
          verb="Reject"
          of={cnam.attributes.value}
          disabledReason={readOnly ?? (cnam.attributes.rejection_reason === null ? null : 'Already rejected.')}
          onPress={() => reject(cnam)}
        />
      </span>
    ),
  },
]

function Decision({ rejection_reason }: Cnam['attributes']) {
  if (rejection_reason === null) return <Status meaning="needs-you">Awaiting approval</Status>
  return (
    <>
      <Status meaning="refused">Rejected</Status>
      <Soft below>{rejection_reason}</Soft>
    </>
  )
}

function RejectName({ cnam: { id, attributes }, onClose }: { cnam: Cnam; onClose(): void }) {
  const { mutate, error, isPending } = useChange('decideCnam')
  const send = (rejection_reason: string) => {
    const decided = { is_approved: false, rejection_reason }
    mutate({ params: { cnam_id: id }, body: { data: { type: 'cnam', attributes: decided } } }, { onSuccess: onClose })
  }
  return (
    <RejectDialog
      title={`Reject ${attributes.value}`}
      verb="Reject the name"
      hint="The customer sees the reason next to the name and can request another."
      field="rejection_reason"
      {...{ error, isPending, onClose }}
      onSend={send}
    />
  )
}
