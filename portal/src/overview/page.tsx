import { useQuery } from '@tanstack/react-query'
import { useSeen } from '../account.ts'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link } from '../ui/link.tsx'
import { Card, Columns, Facts, PageHead, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Count } from '../ui/values.tsx'
import { OperatorStart } from './operator-start.tsx'

/** What needs me? */
export function OverviewPage() {
  const { side } = useSeen()
  return side === 'operator' ? <OperatorStart /> : <AccountOverview />
}

function AccountOverview() {
  return (
    <Stack>
      <PageHead title="Overview" facts="What waits for you, what is moving, and what it costs." />
      <Columns>
        <EmergencyAddresses />
      </Columns>
    </Stack>
  )
}

/** Numbers without an emergency address, and addresses that are not as good as they can be. */
function EmergencyAddresses() {
  const coverage = useQuery(q('listE911Coverage', { query: { limit: 1 } }))
  return (
    <Card title="Emergency addresses">
      <Loaded query={coverage}>
        {({ meta }) => (
          <Stack gap="narrow">
            {meta.no_address === 0 ? (
              <Status meaning="done">Every number has an address</Status>
            ) : (
              <Status meaning="needs-you">
                {meta.no_address === 1 ? '1 number has no address' : `${meta.no_address} numbers have no address`}
              </Status>
            )}
            <Facts
              facts={[
                ['Numbers with 911', <Count key="n" of={meta.numbers} />],
                ['Without an address', <Count key="w" of={meta.no_address} />],
                ['To be checked again', <Count key="r" of={meta.recheck_due} />],
              ]}
            />
            <p>
              <Link to="/numbers">See the numbers</Link>
            </p>
          </Stack>
        )}
      </Loaded>
    </Card>
  )
}
