import { useSession } from '../account.ts'
import { Button } from '../ui/button.tsx'
import { PrimaryLink } from '../ui/link.tsx'
import { PageHead, Row, Stack } from '../ui/panels.tsx'
import css from './shell.module.css'
import { signOut } from './sign-out.ts'

/** Replaces every page if the person has no access to the account. */
export function NoAccount({ account_id }: { account_id: string | null }) {
  const { person, memberships } = useSession()
  const [own] = memberships
  const facts = `You are signed in as ${person.email}. One of the account’s owners can invite you.`
  return (
    <main className={css.alone}>
      <Stack>
        <PageHead
          title={
            account_id === null ? 'You don’t have an account here' : `You don’t have access to account ${account_id}`
          }
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
