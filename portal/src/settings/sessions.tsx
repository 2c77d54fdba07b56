import { refusalOf, useChange, type Body, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Button, Card, type Column, Problem, RowVerb, Skeleton, Soft, Status, Table, Time, toast } from '../ui/index.ts'
import css from './settings.module.css'

type Session = Body<'listSessions'>['data'][number]

const methods = {
  password: 'Password',
  passkey: 'Passkey',
  openid: 'Identity provider',
  invitation: 'Invitation',
  demo: 'Demo sign-in',
} as const satisfies Record<Session['method'], string>

/** The person's sessions. */
export function SessionsCard() {
  const sessions = useRead('listSessions')
  const endOthers = useChange('endOtherSessions', () => toast('You have no other sessions.', { kind: 'done' }))
  const end = useChange('endSession')
  const others = sessions.data?.data.filter(({ is_current }) => !is_current).length ?? 0
  const error = endOthers.error ?? end.error
  return (
    <Card
      title="Where you are signed in"
      flush
      aside={
        <Button
          size="small"
          isPending={endOthers.isPending}
          disabledReason={others === 0 ? 'You have no other sessions.' : null}
          onPress={() => endOthers.mutate({})}
        >
          Sign out everywhere else
        </Button>
      }
    >
      {error !== null && <Problem refusal={refusalOf(error)} />}
      <Loaded query={sessions} skeleton={<Skeleton rows={3} tall />}>
        {({ data }) => (
          <Table label="Sessions" columns={columnsOf((id) => end.mutate({ params: { session_id: id } }))} rows={data} />
        )}
      </Loaded>
    </Card>
  )
}

const columnsOf = (end: (id: string) => void): Column<Session>[] => [
  {
    title: 'Browser',
    head: true,
    cell: ({ user_agent, remote_ip }) => (
      <span className={css.person}>
        <span title={user_agent ?? undefined}>{browserOf(user_agent)}</span>
        <Soft>{remote_ip}</Soft>
      </span>
    ),
  },
  { title: 'Signed in with', minor: true, cell: ({ method }) => methods[method] },
  { title: 'Since', minor: true, cell: ({ started_at }) => <Time at={started_at} date /> },
  { title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  {
    title: 'Change',
    verbs: true,
    cell: ({ id, is_current }) =>
      is_current ? (
        <Status meaning="done">This browser</Status>
      ) : (
        <RowVerb verb="Sign out" of={`session ${id}`} kind="plain" onPress={() => end(id)} />
      ),
  },
]

/** User agents also name the browsers they derive from, so the most specific name comes first. */
const browsers = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari', 'curl'] as const
const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const

/** `Firefox on Windows`; the raw user agent if unknown. */
function browserOf(user_agent: string | null): string {
  if (user_agent === null) return 'Unknown'
  const browser = browsers.find((each) => user_agent.includes(each))
  const system = systems.find((each) => user_agent.includes(each))
  if (browser === undefined) return user_agent.slice(0, 60)
  return `${names[browser] ?? browser}${system === undefined ? '' : ` on ${system}`}`
}
