import { Call } from '../shell/call.tsx'
import { Link } from '../ui/link.tsx'
import { Card, Facts, Stack } from '../ui/panels.tsx'

/** How does a program begin? */
export function ReferenceIntroduction() {
  return (
    <Stack>
      <Card title="How a program begins">
        <Stack gap="narrow">
          <p>
            <Link to="/developers">Make an access key</Link>. Its two halves are the user name and the password of every
            request; whose key it is, and what it may do, is the first thing to ask for:
          </p>
          <Call
            title="With curl"
            text={`curl -u "$DEMARC_ACCESS_KEY:$DEMARC_SECRET_KEY" '${location.origin}/v2/whoami'`}
            label="the curl command"
          />
          <Call
            title="With the typed client"
            text={`import { createDemarcClient } from '@demarc/client'\n\nconst client = createDemarcClient({\n  base_url: '${location.origin}',\n  credentials: { access_key, secret_key },\n})\nconst { body } = await client.whoami()`}
            label="the code"
          />
          <Call
            title="With the command line"
            text={`demarc login --url ${location.origin}\ndemarc whoami`}
            label="the commands"
          />
        </Stack>
      </Card>
      <Card title="What holds everywhere">
        <Facts
          facts={[
            ['Sent again', 'A POST or PATCH with an Idempotency-Key can be sent again for 24 hours: it is done once.'],
            [
              'Refused',
              'The body has errors: each with its title, what is wrong with which field, and the request’s id.',
            ],
            ['Too many', 'Status 429, with Retry-After in seconds. The RateLimit headers say what is left.'],
            ['Lists', 'limit and offset; links.next is there while there is more.'],
            ['Times', 'UTC, ISO 8601. Money is exact decimal text, in dollars.'],
          ]}
        />
      </Card>
    </Stack>
  )
}
