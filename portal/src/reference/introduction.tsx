import { Call } from '../shell/api-call.tsx'
import { Card, Facts, Link, Stack } from '../ui/index.ts'

/** How do I start using the API? */
export function ReferenceIntroduction() {
  return (
    <Stack>
      <Card title="Get started">
        <Stack gap="narrow">
          <p>
            <Link to="/developers">Create an access key</Link>. Requests use HTTP Basic: the access key is the user name
            and the secret key is the password. As a first request, ask who you are:
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
      <Card title="Conventions">
        <Facts
          facts={[
            ['Idempotency', 'With an Idempotency-Key, a POST or PATCH repeated within 24 hours takes effect once.'],
            ['Errors', 'The body lists every error with its title, the failing fields, and an ID to quote to support.'],
            ['Rate limits', 'Status 429 with Retry-After in seconds. The RateLimit headers show what remains.'],
            ['Lists', 'Use limit and offset. links.next leads to the next page, if there is one.'],
            ['Times and money', 'Times are UTC in ISO 8601. Amounts are exact decimal text in dollars.'],
          ]}
        />
      </Card>
    </Stack>
  )
}
