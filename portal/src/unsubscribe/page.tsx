import { noticeKindNames, noticeKinds } from '@demarc/client/rules'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { refusalOf, sendOnce } from '../api.ts'
import { OutsidePage } from '../sign-in/outside.tsx'
import css from '../sign-in/sign-in.module.css'
import { Button, Link, Problem, Status } from '../ui/index.ts'

/** Unsubscribes from email. The link's token identifies the person, without a sign-in. */
export function UnsubscribePage() {
  const token = useLocation({ select: ({ hash }) => hash })
  return (
    <OutsidePage tab="Email" title={`Email from ${location.host}`} facts="Your email preferences.">
      <div className={css.panel}>
        {token === '' ? (
          <p>This link is incomplete: the part after # is missing. Copy the whole link from the email.</p>
        ) : (
          <Unsubscribe token={token} />
        )}
      </div>
      <p className={css.help}>
        <Link to="/settings/notices">Manage your notification settings</Link> (requires sign-in).
      </p>
    </OutsidePage>
  )
}

function Unsubscribe({ token }: { token: string }) {
  const stop = useMutation({ mutationFn: () => sendOnce('unsubscribeFromNotices', { body: { token } }) })
  const name = kindOf(token)
  if (stop.data !== undefined) return <Stopped kind={stop.data.data.kind} />
  return (
    <div className={css.form}>
      <h2>{name === null ? 'Stop all email?' : 'Stop these emails?'}</h2>
      <p>
        {name === null ? (
          'You’ll no longer receive email about any of your accounts here.'
        ) : (
          <>
            You’ll no longer receive emails of this type: <strong>{name}</strong>, for any of your accounts.
          </>
        )}{' '}
        You’ll still see these notifications in the portal. Other people on the account aren’t affected.
      </p>
      {stop.error !== null && <Problem refusal={refusalOf(stop.error)} />}
      <Button kind="primary" isPending={stop.isPending} onPress={() => stop.mutate()}>
        Stop
      </Button>
    </div>
  )
}

function Stopped({ kind }: { kind: keyof typeof noticeKinds | null }) {
  return (
    <div className={css.form} role="status">
      <h2>
        <Status meaning="done">Done</Status>
      </h2>
      <p>
        {kind === null ? (
          'You’ll no longer receive email from this service.'
        ) : (
          <>
            You’ll no longer receive emails of this type: <strong>{noticeKinds[kind].name}</strong>.
          </>
        )}{' '}
        To turn emails back on, go to <em>Notifications</em> in Settings.
      </p>
    </div>
  )
}

/** The notice type of a token; null for all types. Only the service can verify the token. */
function kindOf(token: string): string | null {
  const kind = noticeKindNames.find((each) => each === token.split('.')[1])
  return kind === undefined ? null : noticeKinds[kind].name
}
