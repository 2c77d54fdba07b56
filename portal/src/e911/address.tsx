import { e911LevelMeanings } from '@demarc/client/rules'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, q, refusalOf, useChange, type Body, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import {
  Button,
  Card,
  Columns,
  Count,
  Facts,
  Link,
  PageHead,
  PhoneNumber,
  Problem,
  Row,
  Skeleton,
  Soft,
  Stack,
  Time,
  toast,
} from '../ui/index.ts'
import { AddressFormFields } from './address-form.tsx'
import css from './address.module.css'
import { bodyOf, formOf } from './form.ts'
import { LevelStatus } from './levels.tsx'
import { AssessmentPanel } from './assessment.tsx'

type Address = Body<'getE911'>['data']

/** Is this address valid, how was it checked, and which numbers use it? */
export function AddressPage() {
  const { e911_id } = useParams({ from: '/signed-in/e911/$e911_id' })
  const address = useRead('getE911', { params: { e911_id } })
  return (
    <Loaded
      query={address}
      skeleton={<Skeleton rows={8} tall />}
      head={<PageHead before={<Link to="/e911">E911</Link>} title={`Emergency address ${e911_id}`} />}
    >
      {({ data }) => (
        <Page
          before={<Link to="/e911">E911</Link>}
          title={data.attributes.label}
          facts={<LevelStatus level={data.attributes.validation.level} />}
          call={{ operation: 'getE911', input: { params: { e911_id } }, command: `demarc e911 get ${e911_id}` }}
        >
          <Columns>
            <Evidence {...data.attributes.validation} />
            <Numbers e911_id={e911_id} />
          </Columns>
          {/* the saved address may differ in case, which resets the form */}
          <ChangeCard key={JSON.stringify(data.attributes)} address={data} />
        </Page>
      )}
    </Loaded>
  )
}

function Evidence({ level, source, vintage, validated_at, esn, psap, community }: Address['attributes']['validation']) {
  return (
    <Card title="Validation">
      <Stack gap="narrow">
        <p>{e911LevelMeanings[level]}</p>
        <Facts
          facts={[
            ['Data source', vintage === '' ? 'Cities and postal codes' : `${source}, edition ${vintage}`],
            ['Checked', <Time key="when" at={validated_at} />],
            ['PSAP', psap ?? 'Unknown'],
            ['Emergency service number', esn ?? 'Unknown'],
            community !== null && ['Community', community],
          ]}
        />
      </Stack>
    </Card>
  )
}

const limit = 100

const numbersOf = (e911_id: string) => q('listE911Numbers', { params: { e911_id }, query: { limit } })

function Numbers({ e911_id }: { e911_id: string }) {
  const numbers = useQuery(numbersOf(e911_id))
  return (
    <Card title="Numbers at this address">
      <Loaded query={numbers} skeleton={<Skeleton rows={2} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Soft as="p" size="body">
              None. To assign this address, open a number, or select several on the Numbers page.
            </Soft>
          ) : (
            <ul className={css.numbers}>
              {data.map(({ attributes: { value } }) => (
                <li key={value}>
                  <Link to="/numbers/$number" params={{ number: value }}>
                    <PhoneNumber value={value} />
                  </Link>
                </li>
              ))}
              {data.length === limit && (
                <li>
                  the first <Count of={limit} />
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function ChangeCard({ address: { id, attributes } }: { address: Address }) {
  const kept = formOf(attributes)
  const [form, setForm] = useState(kept)
  const is_changed = JSON.stringify(form) !== JSON.stringify(kept)
  const change = useChange('updateE911', () => toast('Address checked and saved.', { kind: 'done' }))
  const readOnly = useReadOnlyReason()
  const [removing, setRemoving] = useState(false)
  const numbers = useQuery(numbersOf(id))
  const used =
    numbers.data?.data.length === 0 ? null : 'Some numbers use this address. Assign them another address first.'
  return (
    <Card title="Address">
      <Stack>
        <AddressFormFields form={form} onChange={setForm} errorOf={(field) => fieldError(change.error, field)} />
        {/* a live check would report the stored address as its own duplicate, so the form is checked only when it is sent */}
        {change.error !== null && (
          <AssessmentPanel
            assessment={{ state: 'refused', level: null, error: change.error }}
            form={form}
            onAccept={setForm}
          />
        )}
        <Row>
          <Button
            kind="primary"
            isPending={change.isPending}
            disabledReason={readOnly ?? (is_changed ? null : 'No changes to save.')}
            onPress={() => change.mutate({ params: { e911_id: id }, body: bodyOf(form) })}
          >
            Check and save
          </Button>
          <Button kind="danger" disabledReason={readOnly ?? used} onPress={() => setRemoving(true)}>
            Remove this address
          </Button>
        </Row>
        {removing && <Remove id={id} onKeep={() => setRemoving(false)} />}
      </Stack>
    </Card>
  )
}

function Remove({ id, onKeep }: { id: string; onKeep(): void }) {
  const navigate = useNavigate()
  const remove = useChange('deleteE911', () => {
    toast('Address removed.', { kind: 'done' })
    void navigate({ to: '/e911' })
  })
  return (
    <Stack gap="narrow">
      {remove.error === null ? (
        <p>No number uses it. To restore it later, you have to enter it and have it checked again.</p>
      ) : (
        <Problem refusal={refusalOf(remove.error)} />
      )}
      <Row>
        <Button kind="danger" isPending={remove.isPending} onPress={() => remove.mutate({ params: { e911_id: id } })}>
          Remove address
        </Button>
        <Button onPress={onKeep}>Keep</Button>
      </Row>
    </Stack>
  )
}
