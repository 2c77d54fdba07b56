import { e911LevelMeanings } from '@demarc/client/rules'
import { useParams } from '@tanstack/react-router'
import { useReadOnlyReason } from '../account.ts'
import { type Body, useRead } from '../api.ts'
import { PhoneDisplay } from '../caller-id/name-dialog.tsx'
import { Calls } from '../overview/calls.tsx'
import { LevelStatus } from '../e911/levels.tsx'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { ActivityList } from '../shell/activity.tsx'
import { useDialog } from '../shell/change-buttons.tsx'
import {
  Button,
  Card,
  Columns,
  Copyable,
  EmptyState,
  Facts,
  Link,
  Money,
  PageHead,
  Row,
  Skeleton,
  Soft,
  Stack,
  Time,
} from '../ui/index.ts'
import { phoneText } from '../ui/text.ts'
import { ChangeDialog } from './change-fields.tsx'
import { type ChangeForm, unchanged } from './changes.ts'
import { CallPath } from './call-path.tsx'
import { PortoutCard, releaseDisabledReason, useOpenPortout, type OpenPortout } from './port-out.tsx'
import { placeText } from './rate-center.ts'
import { ReleaseNumber } from './release.tsx'
import { InService } from './table.tsx'

type NumberDocument = Body<'getNumber'>
type Included = NumberDocument['included'][number]

/** Where do this number's calls go, and what do callees and dispatchers see? */
export function NumberPage() {
  const { number } = useParams({ from: '/signed-in/numbers/$number' })
  const query = useRead('getNumber', { params: { number } })
  return (
    <Loaded
      query={query}
      skeleton={<Skeleton rows={6} tall />}
      head={<PageHead before={<Link to="/numbers">Numbers</Link>} title={phoneText(number)} />}
    >
      {(document) => <NumberView document={document} />}
    </Loaded>
  )
}

function NumberView({ document }: { document: NumberDocument }) {
  const { attributes, relationships } = document.data
  const { value, number_type } = attributes
  const toll_free = number_type === 'toll-free'
  const portout = useOpenPortout(value)
  return (
    <Stack>
      <NumberHead document={document} portout={portout} />
      {portout !== undefined && <PortoutCard portout={portout} />}
      <Card title="Call routing">
        <CallPath
          value={value}
          primary={includedOf(document, 'route', relationships.primary_route)}
          failover={includedOf(document, 'route', relationships.failover_route)}
        />
      </Card>
      <Columns>
        <Card title="Caller ID">
          <CallerIdCard
            value={value}
            name={includedOf(document, 'cnam', relationships.cnam_preset)?.attributes.value ?? null}
            tollFree={toll_free}
          />
        </Card>
        <Card title="Emergency address">
          <EmergencyCard id={relationships.e911_address.data?.id ?? null} tollFree={toll_free} />
        </Card>
      </Columns>
      <Columns>
        <Calls title="Calls in the last 30 days" number={value} />
        <Card title="About this number">
          <Facts
            facts={[
              ['Monthly cost', <Money key="cost" amount={attributes.monthly_cost} />],
              ['Added', <Time key="since" at={attributes.created_at} />],
              ['Caller-name lookups', attributes.cnam_lookups_enabled ? 'On' : 'Off'],
            ]}
          />
        </Card>
      </Columns>
      <History value={value} />
    </Stack>
  )
}

function NumberHead({ document, portout }: { document: NumberDocument; portout: OpenPortout }) {
  const { value, alias, status } = document.data.attributes
  const [dialog, open] = useDialog()
  return (
    <>
      <PageHead
        before={<Link to="/numbers">Numbers</Link>}
        title={
          <Copyable text={`+${value}`} label="the number in E.164">
            {phoneText(value)}
          </Copyable>
        }
        facts={
          <Row>
            <InService status={status} />
            {[alias, placeText(document.data.attributes)].filter(Boolean).join(' · ')}
          </Row>
        }
        verb={
          <>
            <ShowAsApiCall
              operation="getNumber"
              input={{ params: { number: value } }}
              command={`demarc numbers get ${value}`}
            />
            <ReleaseNumber value={value} disabledReason={releaseDisabledReason(portout)} />
            <Button
              kind="primary"
              disabledReason={useReadOnlyReason()}
              onPress={() =>
                open((close) => <ChangeDialog values={[value]} initial={formOf(document)} onClose={close} />)
              }
            >
              Change
            </Button>
          </>
        }
      />
      {dialog}
    </>
  )
}

/** The form's initial values: no changes. */
const formOf = ({ data }: NumberDocument): ChangeForm => ({ ...unchanged, alias: data.attributes.alias ?? '' })

/** The related record of this type. */
function includedOf<T extends Included['type']>(
  document: NumberDocument,
  type: T,
  reference: { data: { id: number } | null },
) {
  return document.included.find(
    (each): each is Extract<Included, { type: T }> => each.type === type && each.id === reference.data?.id,
  )
}

/** The name as a phone shows it. */
function CallerIdCard({ value, name, tollFree }: { value: string; name: string | null; tollFree: boolean }) {
  if (tollFree) return <p>Toll-free numbers can’t have a caller ID name. Phones show the number.</p>
  return (
    <PhoneDisplay name={name ?? phoneText(value)}>
      {name === null ? 'No caller ID name is set' : phoneText(value)}
    </PhoneDisplay>
  )
}

/** The address sent with a 911 call, and how it was checked. */
function EmergencyCard({ id, tollFree }: { id: number | null; tollFree: boolean }) {
  const address = useRead('getE911', { params: { e911_id: String(id) } }, { enabled: id !== null })
  if (tollFree) return <p>911 isn’t available from toll-free numbers.</p>
  if (id === null)
    return (
      <EmptyState title="No emergency address">
        911 calls from this number go to a call center that has to ask for the caller’s location. Assign an address so
        help goes to the right place.
      </EmptyState>
    )
  return (
    <Loaded query={address}>
      {({ data: { attributes: a } }) => (
        <Stack gap="narrow">
          <Row>
            <Link to="/e911/$e911_id" params={{ e911_id: String(id) }}>
              {a.label}
            </Link>
            <LevelStatus level={a.validation.level} />
          </Row>
          <p>
            {a.first_name} {a.last_name}
            <br />
            {a.street_number} {a.street_name}
            {a.address_type !== null && `, ${a.address_type} ${a.address_type_number ?? ''}`}
            <br />
            {a.city}, {a.state} {a.zip}
          </p>
          <Soft as="p">{e911LevelMeanings[a.validation.level]}</Soft>
        </Stack>
      )}
    </Loaded>
  )
}

const by = { account: 'your team', operator: 'the operator', system: 'the service' } as const

/** A number's history, newest first. */
function History({ value }: { value: string }) {
  const activity = useRead('listActivity', { query: { number: value, limit: 20 } })
  return (
    <Card title="History" flush>
      <ActivityList query={activity} by={by} empty="No changes since this number was added to the account." />
    </Card>
  )
}
