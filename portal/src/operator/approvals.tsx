import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, qList, refusalOf, useChange, type Body } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { RowVerb } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { EmptyState, PageHead, Stack, Soft } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { Time } from '../ui/values.tsx'
import css from './operator.module.css'
import type { ApprovalsSearch } from './search.ts'
import { replacesEntry } from '../search.ts'

type Cnam = Body<'listCnams'>['data'][number]

const limit = 50

/** Which caller-ID names need a decision? */
export function ApprovalsPage() {
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
    <Stack>
      <PageHead
        title="Approvals"
        facts="Caller-ID names requested by customers, oldest first. An approved name can be assigned to numbers."
        verb={
          <ShowAsApiCall
            operation="listCnams"
            input={{ query }}
            command={`demarc cnam list --is-approved false --is-rejected ${is_rejected}`}
          />
        }
      />
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
      {rejected !== null && <RejectDialog cnam={rejected} onClose={() => setRejected(null)} />}
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

/** Rejects a name with a reason for the customer. */
function RejectDialog({ cnam: { id, attributes }, onClose }: { cnam: Cnam; onClose(): void }) {
  const [reason, setReason] = useState('')
  const { mutate, error, isPending } = useChange('decideCnam')
  const refused = fieldError(error, 'rejection_reason')
  const disabledReason = reason.trim() === '' ? 'Enter a reason first. The customer will see it.' : null
  const send = () => {
    const decided = { is_approved: false, rejection_reason: reason.trim() }
    mutate({ params: { cnam_id: id }, body: { data: { type: 'cnam', attributes: decided } } }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title={`Reject ${attributes.value}`}
      verb="Reject the name"
      danger
      isPending={isPending}
      disabledReason={disabledReason}
      error={refused === null ? error : null}
      onSend={send}
      onClose={onClose}
    >
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        autoFocus
        hint="The customer sees the reason next to the name and can request another."
        error={refused}
      />
    </FormDialog>
  )
}
