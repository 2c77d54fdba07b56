import { useSeen } from '../account.ts'
import { Page } from '../shell/page.tsx'
import { Columns, Skeleton, Stack } from '../ui/index.ts'
import { Calls } from './calls.tsx'
import { Exports } from './exports.tsx'
import { Moving, useMoving } from './moving.tsx'
import { NeedsYou, useWaiting } from './needs-you.tsx'
import { OperatorOverview } from './operator.tsx'

/** What needs my attention? */
export function OverviewPage() {
  const { side } = useSeen()
  return side === 'operator' ? <OperatorOverview /> : <AccountOverview />
}

function AccountOverview() {
  const lists = [...Object.values(useWaiting()), ...Object.values(useMoving())]
  const isPending = lists.some((list) => list.isPending)
  return (
    <Page
      title="Overview"
      facts="Your open tasks, orders in progress, and recent calls."
      call={{
        operation: 'listPortOrders',
        input: { query: { who: 'account', order: 'due' } },
        command: 'demarc port list --who account --order due',
      }}
    >
      {isPending && <Skeleton rows={10} tall />}
      {/* a card's height depends on its list, so a late card would shift those below it */}
      <div hidden={isPending}>
        <Stack>
          <NeedsYou />
          <Moving />
          <Columns>
            <Calls />
            <Exports />
          </Columns>
        </Stack>
      </div>
    </Page>
  )
}
