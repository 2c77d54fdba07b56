import { useParams } from '@tanstack/react-router'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import {
  Button,
  Card,
  Columns,
  Count,
  Facts,
  Link,
  LinkButton,
  Money,
  PageHead,
  Problem,
  Row,
  Skeleton,
  Time,
} from '../ui/index.ts'
import { isMaking, making_ms, State } from './exports-card.tsx'
import { FileCard } from './file-card.tsx'
import { filterFacts, searchOf } from './filters.ts'
import { useCreateExport } from './result.tsx'
import { formatLabels, type CdrExport } from './words.ts'

/** Is the file ready, and is it the right one? */
export function CdrExportPage() {
  const { export_id } = useParams({ from: '/signed-in/call-records/exports/$export_id' })
  const found = useRead(
    'getCdrExport',
    { params: { export_id } },
    { refetchInterval: ({ state }) => (state.data !== undefined && isMaking(state.data.data) ? making_ms : false) },
  )
  return (
    <Loaded
      query={found}
      skeleton={<Skeleton rows={6} tall />}
      head={<PageHead before={<Link to="/call-records">Call records</Link>} title={`Export ${export_id}`} />}
    >
      {({ data }) => <ExportView key={data.id} of={data} />}
    </Loaded>
  )
}

function ExportView({ of }: { of: CdrExport }) {
  const { id, attributes } = of
  const params = { export_id: id }
  return (
    <Page
      before={<Link to="/call-records">Call records</Link>}
      title={`Export ${id}`}
      facts={
        <Row>
          <State of={of} />
          <span>
            {formatLabels[attributes.format]}, requested <Time at={attributes.requested_at} />
          </span>
        </Row>
      }
      call={{ operation: 'getCdrExport', input: { params }, command: `demarc cdr get ${id}` }}
      verb={<RunAgain of={of} />}
    >
      <FileCard of={of} />
      <Columns>
        <Card title="Cost">
          {attributes.num_calls === null ? <p>Available when the file is ready.</p> : <Totals of={of} />}
        </Card>
        <Card title="Filters">
          <Filters parameters={attributes.filter_parameters} />
        </Card>
      </Columns>
    </Page>
  )
}

/** Exports again with the same filters, which includes records that arrived late. */
function RunAgain({ of: { attributes } }: { of: CdrExport }) {
  const create = useCreateExport()
  const disabledReason = useReadOnlyReason()
  const { format, filter_parameters, callback_url } = attributes
  const again = {
    data: {
      type: 'cdrexport' as const,
      attributes: {
        format,
        filter_parameters: asSent(filter_parameters),
        ...(callback_url !== null && { callback_url }),
      },
    },
  }
  return (
    <>
      <LinkButton
        to="/call-records"
        search={{ ...searchOf(filter_parameters), ...(format !== 'csv' && { file: format }) }}
      >
        Change the filters
      </LinkButton>
      <Button
        disabledReason={disabledReason}
        isPending={create.isPending}
        onPress={() => create.mutate({ body: again })}
      >
        Run again
      </Button>
      {create.error && <Problem refusal={refusalOf(create.error)} />}
    </>
  )
}

type Sent = Parameters<
  ReturnType<typeof useCreateExport>['mutate']
>[0]['body']['data']['attributes']['filter_parameters']

/** The API returns an export's filters in the form it accepts. */
const asSent = (shown: CdrExport['attributes']['filter_parameters']) => shown as unknown as Sent

function Totals({ of: { attributes } }: { of: CdrExport }) {
  const { num_calls, billed_minutes, total_cost, call_subtotal, connect_fees, cnamlookup_fees, usf_fees, ccrf } =
    attributes
  const money = (amount: string | null) => (amount === null ? '–' : <Money amount={amount} />)
  return (
    <Facts
      facts={[
        ['Calls', num_calls === null ? '–' : <Count key="calls" of={num_calls} />],
        ['Billed minutes', billed_minutes === null ? '–' : <Count of={Number(billed_minutes)} />],
        ['Cost', <strong key="cost">{money(total_cost)}</strong>],
        ['Call charges', money(call_subtotal)],
        ['Connect fees', money(connect_fees)],
        ['Caller ID lookups', money(cnamlookup_fees)],
        ['Universal Service Fund', money(usf_fees)],
        ['Cost recovery (CCRF)', money(ccrf)],
      ]}
    />
  )
}

function Filters({ parameters }: { parameters: Readonly<Record<string, unknown>> }) {
  const { start_call_start_time: from = '', start_call_end_time: until = '' } = searchOf(parameters)
  return (
    <Facts
      facts={[
        ['From', <Time key="from" at={from} />],
        ['To', <Time key="until" at={until} />],
        ...filterFacts(parameters),
      ]}
    />
  )
}
