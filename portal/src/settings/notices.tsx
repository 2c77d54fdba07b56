import { refusalOf, useChange, type Body, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import {
  Button,
  Card,
  EmptyLine,
  Lines,
  Link,
  Problem,
  Select,
  Skeleton,
  Soft,
  Stack,
  Status,
  Time,
} from '../ui/index.ts'
import css from './settings.module.css'

type Notice = Body<'listNotices'>['data'][number]
type Preferences = Body<'getNoticePreferences'>['data']

type Delivery = Preferences['kinds'][number]['delivery']

const deliveries: readonly { value: Delivery; label: string }[] = [
  { value: 'at_once', label: 'Immediately' },
  { value: 'daily', label: 'Daily' },
  { value: 'none', label: 'No email' },
]

/** The person's notices and email preferences. */
export function Notices() {
  const notices = useRead('listNotices', { query: { limit: 20 } })
  const preferences = useRead('getNoticePreferences')
  const read = useChange('markNoticesRead')
  return (
    <div className={css.noticesPage}>
      <Card
        title="Notifications"
        flush
        aside={
          <Button
            size="small"
            isPending={read.isPending}
            disabledReason={notices.data?.meta.unread_count === 0 ? 'No unread notifications.' : null}
            onPress={() => read.mutate({ body: {} })}
          >
            Mark all as read
          </Button>
        }
      >
        {read.error !== null && <Problem refusal={refusalOf(read.error)} />}
        <Loaded query={notices} skeleton={<Skeleton rows={4} tall />}>
          {({ data }) => <NoticeList notices={data} />}
        </Loaded>
      </Card>
      {/* rendered after the list, because on a narrow screen it is below the list and would move */}
      {!notices.isPending && (
        <Card title="Email">
          <Loaded query={preferences} skeleton={<Skeleton rows={9} tall />}>
            {({ data }) => <PreferenceList {...data} />}
          </Loaded>
        </Card>
      )}
    </div>
  )
}

function NoticeList({ notices }: { notices: readonly Notice[] }) {
  if (notices.length === 0)
    return (
      <EmptyLine>
        No notifications yet. Rejected ports, completion dates, finished exports, caller ID decisions, and failing
        webhooks appear here.
      </EmptyLine>
    )
  return (
    <Lines>
      {notices.map(({ id, title, text, path, occurred_at, read_at, mail }) => (
        <li key={id} className={css.notice}>
          <span className={css.noticeHead}>
            {read_at === null ? (
              <strong>
                <Link to={path}>{title}</Link>
              </strong>
            ) : (
              <Link to={path}>{title}</Link>
            )}
            {read_at === null && <Status meaning="quiet">New</Status>}
          </span>
          <span>{text}</span>
          <Soft>
            <Time at={occurred_at} />
            {mail.status === 'failed' && ` · The email could not be sent: ${mail.failure ?? 'no reason given'}`}
          </Soft>
        </li>
      ))}
    </Lines>
  )
}

function PreferenceList({ mail_enabled, kinds }: Preferences) {
  const update = useChange('updateNoticePreferences')
  return (
    <Stack gap="narrow">
      {!mail_enabled && (
        <p>This service doesn’t send email. You’ll see notifications here regardless of these settings.</p>
      )}
      {update.error !== null && <Problem refusal={refusalOf(update.error)} />}
      {kinds.map(({ kind, name, delivery }) => (
        <div key={kind} className={css.preference}>
          <span>{name}</span>
          <Select
            label={name}
            hideLabel
            options={deliveries}
            value={delivery}
            onChange={(next) => update.mutate({ body: { kinds: [{ kind, delivery: next }] } })}
          />
        </div>
      ))}
    </Stack>
  )
}
