import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { q, qAs, type Body } from '../../api.ts'
import { useNow } from '../../clock.ts'
import { KeysOf } from '../../developers/keys.tsx'
import { NumberLimits } from '../../inventory/limits.tsx'
import { ShowAsApiCall } from '../../shell/api-call.tsx'
import { Loaded } from '../../shell/loaded.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Card, EmptyLine, EmptyState, Facts, PageHead, Stack, Soft, Skeleton } from '../../ui/panels.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/values.tsx'
import css from '../operator.module.css'
import { CountUpTo } from './count-up-to.tsx'
import { PeopleOf } from './people.tsx'
import { lastUsed, stateOf } from './state.ts'

type Summary = Body<'listAccountSummaries'>['data'][number]

/** Who and what can access this account? */
export function AccountPage() {
  const { account: id } = useParams({ from: '/signed-in/operator/accounts/$account' })
  // anything else is not an account id; no account has the id 0
  const query = { account_id: /^\d{1,18}$/.test(id) ? id : '0' }
  const found = useQuery(q('listAccountSummaries', { query }))
  return (
    <Loaded query={found} skeleton={<Skeleton rows={8} tall />}>
      {({ data: [account] }) =>
        account === undefined ? (
          <Stack>
            <PageHead before={<Link to="/operator/accounts">Accounts</Link>} title={`Account ${id}`} />
            <EmptyState title="Account not found">
              <p>Search the accounts by name.</p>
            </EmptyState>
          </Stack>
        ) : (
          <Stack>
            <PageHead
              before={<Link to="/operator/accounts">Accounts</Link>}
              title={account.attributes.name}
              facts={
                <>
                  Account {id}, since <Time at={account.attributes.created_at} date />
                </>
              }
              verb={
                <>
                  <ShowAsApiCall
                    operation="listAccountSummaries"
                    input={{ query }}
                    command={`demarc account summary --account ${id}`}
                  />
                  <LinkButton to="/" search={{ account: id }}>
                    View as customer
                  </LinkButton>
                </>
              }
            />
            <What account={account} />
            <NumberLimits account={id} />
            <KeysOf account={id} />
            <PeopleOf account={id} />
            <Happened account={id} />
          </Stack>
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
              <CountUpTo of={numbers_count} />
            </Link>,
          ],
          [
            'Open port orders',
            <span key="orders">
              <Link to="/port-orders" search={{ account: id }}>
                <CountUpTo of={open_port_orders_count} />
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
      <Loaded query={activity} skeleton={<Skeleton rows={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyLine>No activity yet.</EmptyLine>
          ) : (
            <ol className={css.activity}>
              {data.map(({ id, attributes: { sentence, occurred_at, by: who } }) => (
                <li key={id}>
                  <span>{sentence}</span>
                  <Soft>
                    <Time at={occurred_at} />, {by[who]}
                  </Soft>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  )
}
