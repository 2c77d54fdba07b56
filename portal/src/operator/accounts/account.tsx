import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { qAs, type Body, useRead } from '../../api.ts'
import { useNow } from '../../clock.ts'
import { KeysOf } from '../../developers/keys.tsx'
import { NumberLimits } from '../../inventory/limits.tsx'
import { AccountPrices } from '../../inventory/prices.tsx'
import { ActivityList } from '../../shell/activity.tsx'
import { Loaded } from '../../shell/loaded.tsx'
import { Page } from '../../shell/page.tsx'
import { Card, Copyable, Count, EmptyState, Facts, Link, LinkButton, Skeleton, Status, Time } from '../../ui/index.ts'
import { HeldFact, LegalHold } from './held.tsx'
import { PeopleOf } from './people.tsx'
import { counted_max, lastUsed, stateOf } from './state.ts'

type Summary = Body<'listAccountSummaries'>['data'][number]

/** Who and what can access this account? */
export function AccountPage() {
  const { account: id } = useParams({ from: '/signed-in/operator/accounts/$account' })
  // anything else is not an account id; no account has the id 0
  const query = { account_id: /^\d{1,18}$/.test(id) ? id : '0' }
  const found = useRead('listAccountSummaries', { query })
  return (
    <Loaded query={found} skeleton={<Skeleton rows={8} tall />}>
      {({ data: [account] }) =>
        account === undefined ? (
          <Page before={<Link to="/operator/accounts">Accounts</Link>} title={`Account ${id}`}>
            <EmptyState title="Account not found">Search the accounts by name.</EmptyState>
          </Page>
        ) : (
          <Page
            before={<Link to="/operator/accounts">Accounts</Link>}
            title={account.attributes.name}
            facts={
              <>
                Account {id}, since <Time at={account.attributes.created_at} date />
                <HeldFact account={id} />
              </>
            }
            call={{
              operation: 'listAccountSummaries',
              input: { query },
              command: `demarc account summary --account ${id}`,
            }}
            verb={
              <LinkButton to="/" search={{ account: id }}>
                View as customer
              </LinkButton>
            }
          >
            <What account={account} />
            <LegalHold account={id} />
            <NumberLimits account={id} />
            <AccountPrices account={id} />
            <KeysOf account={id} />
            <PeopleOf account={id} />
            <Happened account={id} />
          </Page>
        )
      }
    </Loaded>
  )
}

function What({ account: { id, attributes } }: { account: Summary }) {
  const { meaning, text } = stateOf(attributes, useNow())
  const { numbers_count, open_port_orders_count, waiting_port_orders_count: waiting } = attributes
  const used = lastUsed(attributes)
  return (
    <Card title="Account details" aside={<Status meaning={meaning}>{text}</Status>}>
      <Facts
        facts={[
          [
            'Numbers',
            <Link key="numbers" to="/numbers" search={{ account: id }}>
              <Count of={numbers_count} limit={counted_max} />
            </Link>,
          ],
          [
            'Open port orders',
            <span key="orders">
              <Link to="/port-orders" search={{ account: id }}>
                <Count of={open_port_orders_count} limit={counted_max} />
              </Link>
              {waiting > 0 && `, ${waiting} waiting on us`}
            </span>,
          ],
          ['Last used', used === null ? 'Never' : <Time key="used" at={used} />],
          ['Id', <Copyable key="id" text={id} label="the id of the account" />],
        ]}
      />
    </Card>
  )
}

const by = { account: 'its people and programs', operator: 'us', system: 'the service' } as const

/** The account's latest audit entries. */
function Happened({ account }: { account: string }) {
  const activity = useQuery(qAs(account, 'listActivity', { query: { limit: 8 } }))
  return (
    <Card
      title="Recent activity"
      aside={
        <Link to="/operator/audit" search={{ of: account }}>
          View all in the audit log
        </Link>
      }
      flush
    >
      <ActivityList query={activity} by={by} empty="No activity yet." />
    </Card>
  )
}
