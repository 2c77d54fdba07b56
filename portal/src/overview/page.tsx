import { useQuery } from '@tanstack/react-query'
import { useSeen } from '../account.ts'
import { q } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Columns, PageHead, Stack } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Calls } from './calls.tsx'
import { Exports } from './exports.tsx'
import { Moving } from './moving.tsx'
import { NeedsYou } from './needs-you.tsx'
import { OperatorStart } from './operator-start.tsx'

/** What needs me? */
export function OverviewPage() {
  const { side } = useSeen()
  return side === 'operator' ? <OperatorStart /> : <AccountOverview />
}

function AccountOverview() {
  const orders = useQuery(q('listPortOrders', { query: { limit: 200 } }))
  return (
    <Stack>
      <PageHead title="Overview" facts="What waits for you, what is on its way, and what it costs." />
      <Loaded query={orders} skeleton={<Skeleton rows={4} tall />}>
        {({ data }) => (
          <>
            <NeedsYou orders={data} />
            <Moving orders={data} />
          </>
        )}
      </Loaded>
      <Columns>
        <Calls />
        <Exports />
      </Columns>
    </Stack>
  )
}
