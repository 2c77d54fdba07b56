import { Fragment } from 'react'
import { countText, jobWords } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { AccountName } from '../shell/account-search.ts'
import {
  type Column,
  Count,
  Link,
  RowVerb,
  Soft,
  Status,
  StatusOf,
  type StatusWords,
  Time,
  TwoLines,
} from '../ui/index.ts'
import { durationText } from '../ui/text.ts'
import type { jobStates } from '../operator/search.ts'

type Kind = Body<'listJobKinds'>['data'][number]
export type Job = Body<'listJobs'>['data'][number]
type State = (typeof jobStates)[number]

/** A job kind's title; its name if the portal does not know it. */
export const kindTitle = (kind: string): string => jobWords[kind]?.title ?? kind

export const stateWords: StatusWords<State> = {
  dead: { label: 'Failed', meaning: 'refused' },
  due: { label: 'Due', meaning: 'moving' },
  running: { label: 'Running', meaning: 'moving' },
  scheduled: { label: 'Later', meaning: 'quiet' },
}

/** An error message without the class name. */
const errorText = (error: string): string => error.replace(/^[A-Za-z]*Error: /, '')

/** Jobs later than this are waiting for a worker. */
const late_min_s = 60

/** How long a job has waited; null if the wait is short. */
export function lateText(late_s: number): string | null {
  return late_s < late_min_s ? null : durationText(late_s)
}

/** Splits job kinds into those with due or failed jobs and those only scheduled for later. */
export function splitKinds(kinds: readonly Kind[]): { now: Kind[]; later: Kind[] } {
  const isNow = ({ attributes: { dead, due, running } }: Kind) => dead + due + running > 0
  return { now: kinds.filter(isNow), later: kinds.filter((kind) => !isNow(kind)) }
}

/** Jobs scheduled for later, by kind, in one line. */
export const LaterKinds = ({ kinds }: { kinds: readonly Kind[] }) => (
  <Soft as="p" size="body">
    {kinds.length === 0 ? 'Nothing is scheduled for later.' : 'Scheduled for later: '}
    {kinds.map(({ id, attributes: { scheduled } }, i) => (
      <Fragment key={id}>
        {i > 0 && ', '}
        <KindLink kind={id} /> ({scheduled.toLocaleString('en-US')})
      </Fragment>
    ))}
  </Soft>
)

const KindLink = ({ kind }: { kind: string }) => (
  <Link to="/operator/jobs" search={(before) => ({ ...before, kind, offset: undefined })}>
    {kindTitle(kind)}
  </Link>
)

/** States with figures, most important first. */
const counted = ['dead', 'due', 'running', 'scheduled'] as const satisfies readonly State[]

export const kindColumns: readonly Column<Kind>[] = [
  {
    title: 'Job kind',
    head: true,
    cell: ({ id }) => <KindLink kind={id} />,
  },
  ...counted.map((state): Column<Kind> => ({
    title: stateWords[state].label,
    align: 'end',
    cell: ({ attributes }) => <Figure state={state} of={attributes[state]} />,
  })),
  {
    title: 'Longest wait',
    cell: ({ attributes: { late_s } }) => {
      const late = lateText(late_s)
      return late === null ? '—' : <Status meaning="needs-you">{late}</Status>
    },
  },
]

function Figure({ state, of }: { state: State; of: number }) {
  if (of === 0) return '—'
  if (state !== 'dead') return <Count of={of} />
  return (
    <Status meaning="refused">
      <Count of={of} />
    </Status>
  )
}

interface JobColumns {
  disabledReason: string | null
  onRetry(ids: readonly string[]): void
}

export const jobColumns = ({ disabledReason, onRetry }: JobColumns): Column<Job>[] => [
  {
    title: 'Job',
    head: true,
    cell: ({ id, attributes: { kind, account_id } }) => (
      <>
        {kindTitle(kind)}
        <Soft below>
          <code>{id}</code>
          {account_id !== null && (
            <>
              {' · '}
              <AccountName of={account_id} />
            </>
          )}
        </Soft>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ attributes: { state, dead_at, due_at, attempts } }) => (
      <>
        <StatusOf words={stateWords} value={state} />
        <Soft below>
          <Time at={dead_at ?? due_at} />
          {attempts > 0 && `, after ${countText(attempts, 'attempt')}`}
        </Soft>
      </>
    ),
  },
  { title: 'Error', cell: ({ attributes }) => <Wrong {...attributes} /> },
  {
    title: 'Change',
    verbs: true,
    cell: ({ id, attributes: { state } }) => (
      <RowVerb
        verb="Retry"
        of={id}
        disabledReason={disabledReason ?? (state === 'dead' ? null : 'Only failed jobs can be retried.')}
        onPress={() => onRetry([id])}
      />
    ),
  },
]

function Wrong({ kind, state, last_error }: Job['attributes']) {
  if (last_error === null) return '—'
  return (
    <TwoLines below={<code>{errorText(last_error)}</code>}>
      {state === 'dead' && <span>{jobWords[kind]?.missing} </span>}
    </TwoLines>
  )
}
