import { useSession } from '../account.ts'
import { Button } from '../ui/button.tsx'
import { PrimaryLink } from '../ui/link.tsx'
import { PageHead, Row, Stack } from '../ui/panels.tsx'
import css from './shell.module.css'
import { signOut } from './sign-out.ts'

/** In place of all pages, for an account that the person is not one of the people of. */
export function NoAccount({ account_id }: { account_id: string | null }) {
  const { person, memberships } = useSession()
  const [own] = memberships
  const facts = `You are signed in as ${person.email}. One of the account’s owners can invite you.`
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead
          title={account_id === null ? 'You have no account here' : `You have no access to account ${account_id}`}
          facts={facts}
        />
        <Row>
          {own !== undefined && (
            <PrimaryLink to="/" search={{ account: undefined }}>
              Go to {own.account_name}
            </PrimaryLink>
          )}
          <Button onPress={() => void signOut()}>Sign out</Button>
        </Row>
      </Stack>
    </main>
  )
}
