import { useSeen } from '../account.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { Columns, PageHead, Stack } from '../ui/panels.tsx'
import { Calls } from './calls.tsx'
import { Exports } from './exports.tsx'
import { Moving } from './moving.tsx'
import { NeedsYou } from './needs-you.tsx'
import { OperatorOverview } from './operator.tsx'

/** What needs me? */
export function OverviewPage() {
  const { side } = useSeen()
  return side === 'operator' ? <OperatorOverview /> : <AccountOverview />
}

const AccountOverview = () => (
  <Stack>
    <PageHead
      title="Overview"
      facts="What waits for you, what is on its way, and what it costs."
      verb={
        <ShowAsApiCall
          operation="listPortOrders"
          input={{ query: { who: 'account', order: 'due' } }}
          command="demarc port list --who account --order due"
        />
      }
    />
    <NeedsYou />
    <Moving />
    <Columns>
      <Calls />
      <Exports />
    </Columns>
  </Stack>
)
