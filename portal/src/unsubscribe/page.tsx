import { noticeKindNames, noticeKinds } from '@demarc/client/rules'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { refusalOf, sendOnce } from '../api.ts'
import { OutsidePage } from '../sign-in/outside.tsx'
import css from '../sign-in/sign-in.module.css'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Problem } from '../ui/problem.tsx'
import { Status } from '../ui/status.tsx'

/** Which e-mail stops, and how do I get it back? Nobody is signed in: the link's token says who it is. */
export function UnsubscribePage() {
  const token = useLocation({ select: ({ hash }) => hash })
  return (
    <OutsidePage
      tab="E-mail"
      title={`E-mail of ${location.host}`}
      facts="What happens on your accounts, and what you are told about."
    >
      <div className={css.panel}>
        {token === '' ? (
          <p>This link is not whole: what stands behind its # is missing. Copy all of it from the e-mail.</p>
        ) : (
          <Unsubscribe token={token} />
        )}
      </div>
      <p className={css.help}>
        <Link to="/settings/notices">Choose what you are told about, and how</Link>, signed in.
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
      <h2>{name === null ? 'Stop all e-mail?' : 'Stop this e-mail?'}</h2>
      <p>
        {name === null ? (
          'You get no more e-mail about any of your accounts here.'
        ) : (
          <>
            You get no more e-mail of the kind <strong>{name}</strong>, for whichever account of yours.
          </>
        )}{' '}
        In the portal you still see it. Others on the account are told as before.
      </p>
      {stop.error !== null && <Problem refusal={refusalOf(stop.error)} />}
      <Button kind="primary" isPending={stop.isPending} onPress={() => stop.mutate()}>
        Stop it
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
          'You get no more e-mail from here.'
        ) : (
          <>
            You get no more e-mail of the kind <strong>{noticeKinds[kind].name}</strong>.
          </>
        )}{' '}
        To have it back, choose e-mail for it again under <em>Your notices</em> in the settings.
      </p>
    </div>
  )
}

/** The name of the kind that a token is for; null for one that is for all. Whether it is ours only the service can say. */
function kindOf(token: string): string | null {
  const kind = noticeKindNames.find((each) => each === token.split('.')[1])
  return kind === undefined ? null : noticeKinds[kind].name
}
