import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signWebhook, waitForExport } from '@demarc/client'
import { downloadExportToFile } from '@demarc/client/node'
import { addNumbers, portOrder } from '../../../acceptance/support/cast.ts'
import { hang_ms } from '../../../acceptance/support/until.ts'
import { main_of_checkout } from '../../src/checkout.ts'
import type { Transcript, World } from '../support/transcript.ts'

/** Verbs with more than one operation. files.test.ts and reconcile.test.ts test their faults. */

async function fileOf({ folder }: World, name: string, text: string): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, text)
  return file
}

const month = '--from 2026-10-01 --to 2026-11-01'

/** The complete file of an export. */
async function exportFile({ service, folder }: World): Promise<string> {
  const filter_parameters = {
    start_call_start_time: '2026-10-01 00:00:00',
    start_call_end_time: '2026-10-02 00:00:00',
  }
  const body = { data: { type: 'cdrexport', attributes: { filter_parameters } } }
  const { id } = (await service.account.createCdrExport({ body })).body.data
  await waitForExport(service.account, id)
  return (await downloadExportToFile(service.account, id, path.join(folder, `export-${id}.csv.gz`))).path
}

const calls =
  'start_time,callerid,destination,duration,total_cost\n2026-10-01T10:00:00Z,12065550100,14255550199,30,0.01\n'

const cdr: readonly Transcript[] = [
  { command: 'cdr export', success: `cdr export ${month}`, refusal: 'cdr export --from 2026-10-01', status: 1 },
  {
    command: 'cdr verify',
    success: async (world) => `cdr verify ${await exportFile(world)}`,
    refusal: async (world) => `cdr verify ${await fileOf(world, 'changed.csv', calls)}`,
    status: 3,
  },
  {
    command: 'cdr reconcile',
    success: async (world) => {
      const file = await fileOf(world, 'mine.csv', calls)
      return `cdr reconcile ${file} ${file}`
    },
    refusal: async (world) =>
      `cdr reconcile ${await fileOf(world, 'mine.csv', calls)} ${await fileOf(world, 'other.csv', calls.replace(',30,', ',31,'))}`,
    status: 1,
  },
  {
    command: 'cdr import',
    as: 'operator',
    success: async (world, run) =>
      `cdr import ${await fileOf(
        world,
        'calls.ndjson',
        `{"account_id":"1001","id":"transcript-${run}","direction":"outbound","start_time":"2026-03-01T12:00:00Z","end_time":"2026-03-01T12:01:10Z","destination":"+12065550100","callerid":"","result":"completed","duration":70,"billed_duration":72}\n`,
      )}`,
    refusal: async (world) => `cdr import ${await fileOf(world, 'wrong.ndjson', '{"id":"x"}\n')}`,
    status: 1,
  },
  { command: 'cdr arrivals', as: 'operator', success: 'cdr arrivals', refusal: 'cdr arrivals --nothing', status: 6 },
  {
    command: 'cdr ingests',
    as: 'operator',
    success: 'cdr ingests --limit 3',
    refusal: 'cdr ingests --limit 0',
    status: 6,
  },
  {
    command: 'cdr refused',
    as: 'operator',
    bytes: true,
    success: async ({ service }) => {
      await service.operator.ingestCdrs({ body: '{"id":"x"}\n', content_type: 'application/x-ndjson' })
      const [delivery] = (await service.operator.listCdrIngests()).body.data
      return `cdr refused ${delivery?.id ?? ''}`
    },
    refusal: 'cdr refused 99999',
    status: 3,
  },
]

let checked = 0

/** An order's fields as options. */
const order =
  '--provider "Old Telephone Company" --billing-name "Rosa Diaz" --street "88 Pine Street" --city Seattle --state WA --zip 98101 --country US --usage-type Residential'
const newNumber = () => `+1206558${String(2000 + checked++)}`

/** A separate order, signed and submitted as requested. */
async function orderIn(
  { service }: World,
  status: 'Pending' | 'Processing' | 'Submitted' | 'Accepted',
): Promise<string> {
  const attributes = portOrder([newNumber()])
  const { body } = await service.account.createPortOrder({ body: { data: { type: 'portorder', attributes } } })
  if (body.data.type !== 'portorder') throw new Error('no order was made')
  const params = { portorder_id: body.data.id }
  if (status === 'Pending') return body.data.id
  const form = (await service.account.getLoa({ params })).body
  Object.assign(form.data.attributes, { signature_name: 'Rosa Diaz', signature_title: 'Owner' })
  await service.account.submitLoa({ params, body: form })
  if (status === 'Processing') return body.data.id
  await service.operator.transitionPortOrder({ params, body: { to: 'Submitted' } })
  if (status === 'Submitted') return body.data.id
  await service.operator.transitionPortOrder({ params, body: { to: 'Accepted', completion_date: soon() } })
  return body.data.id
}

/** A business day in two weeks by the machine's clock, which is never ahead of the service's. */
function soon(): string {
  const day = new Date(Date.now() + 14 * 86_400_000)
  while ([0, 6].includes(day.getUTCDay())) day.setUTCDate(day.getUTCDate() + 1)
  return day.toISOString().slice(0, 10)
}

const port: readonly Transcript[] = [
  {
    command: 'port check',
    success: async (world) => `port check ${await orderIn(world, 'Pending')}`,
    refusal: 'port check',
    status: 6,
  },
  {
    command: 'port create',
    success: async (world, run) => {
      const file = await fileOf(world, `numbers-${run}.txt`, `number,remark\n${newNumber()},front\n`)
      return `port create --numbers-file ${file} ${order} ${run % 2 === 1 ? '--dry-run' : ''}`
    },
    refusal: `port create --number 123 ${order}`,
    status: 1,
  },
  {
    command: 'port sign',
    success: async (world) => `port sign ${await orderIn(world, 'Pending')} --name "Rosa Diaz" --title Owner --yes`,
    refusal: async (world) => `port sign ${await orderIn(world, 'Pending')} --name "Rosa Diaz" --title Owner`,
    status: 6,
  },
  {
    command: 'port watch',
    success: 'port watch 1002',
    refusal: async (world) => `port watch ${await orderIn(world, 'Pending')} --timeout 0`,
    status: 5,
  },
]

const queueVerbs: readonly Transcript[] = [
  { command: 'queue list', success: 'queue list', refusal: 'queue list --status Lost', status: 6 },
  { command: 'queue get', success: 'queue get 1002', refusal: 'queue get 99999', status: 3 },
  {
    command: 'queue submit',
    success: async (world) => `queue submit ${await orderIn(world, 'Processing')}`,
    refusal: 'queue submit 1002',
    status: 4,
  },
  {
    command: 'queue accept',
    success: async (world) => `queue accept ${await orderIn(world, 'Submitted')} --date ${soon()}`,
    refusal: async (world) => `queue accept ${await orderIn(world, 'Submitted')} --date tomorrow`,
    status: 1,
  },
  {
    command: 'queue reject',
    success: async (world) => `queue reject ${await orderIn(world, 'Submitted')} --code 7401 --reason "Other number."`,
    refusal: async (world) => `queue reject ${await orderIn(world, 'Submitted')}`,
    status: 1,
  },
  {
    command: 'queue complete',
    success: async (world) => `queue complete ${await orderIn(world, 'Accepted')}`,
    refusal: async (world) => `queue complete ${await orderIn(world, 'Processing')}`,
    status: 4,
  },
  {
    command: 'queue cancel',
    success: async (world) => `queue cancel ${await orderIn(world, 'Processing')} --comment "Not portable." --yes`,
    refusal: async (world) => `queue cancel ${await orderIn(world, 'Processing')}`,
    status: 6,
  },
  {
    command: 'queue hard-cancel',
    success: async (world) => `queue hard-cancel ${await orderIn(world, 'Submitted')} --yes`,
    refusal: 'queue hard-cancel 1002 --yes',
    status: 4,
  },
]
const queue = queueVerbs.map((each): Transcript => ({ ...each, as: 'operator' }))

const streets = 'number,street,city,state,postal,country\n'

/** Sends a notification to a receiver that is about to start, and returns the receiver's port. */
async function notified({ service }: World): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address() as AddressInfo // the server listens on TCP
  server.close()
  await once(server, 'close')
  const { secret } = (await service.account.getSigningSecret()).body.data.attributes
  const { data } = (await service.account.listPortOrders({ query: { limit: 1 } })).body
  const [about] = data
  if (!about) throw new Error('the cast has port orders')
  const event = {
    type: 'portorder.accepted',
    data: about,
    event_id: '1',
    occurred_at: about.attributes.created_at,
    sequence: 1,
  } as const
  const { body, headers } = await signWebhook(event, secret)
  const send = async () => {
    for (;;) {
      const sent = await fetch(`http://127.0.0.1:${free}/`, { method: 'POST', headers, body }).catch(() => null)
      if (sent !== null) return
      await sleep(20)
    }
  }
  void send()
  return free
}

/** By the service's clock. */
async function inAMinute({ service }: World): Promise<string> {
  const { now } = (await service.operator.getClock()).body.data
  return new Date(Date.parse(now) + 60_000).toISOString()
}

/** A checkout whose service starts with a copy of the demo data, which would take most of the start. */
async function checkoutWithData({ folder }: World): Promise<string> {
  const checkout = path.join(folder, 'checkout')
  await mkdir(path.join(checkout, 'server/src'), { recursive: true })
  const support = import.meta.resolve('../../../acceptance/support/service.ts')
  const seeded = JSON.stringify(process.env['DEMARC_TEST_SEEDED'])
  await writeFile(
    path.join(checkout, 'server/src/main.ts'),
    `import path from 'node:path'
import { copyDemoData } from '${support}'
await copyDemoData(path.dirname(process.env.DEMARC_DATA ?? ''), ${seeded})
await import('${main_of_checkout}')
`,
  )
  return checkout
}

const others: readonly Transcript[] = [
  {
    command: 'numbers apply',
    success: async (world, run) => {
      const [number] = await addNumbers(world.service, [String(40 + run)])
      return `numbers apply ${await fileOf(world, 'apply.csv', `number,alias,route\n${number},"Desk, ${run}",none\n`)}`
    },
    refusal: async (world) => `numbers apply ${await fileOf(world, 'refused.csv', 'number,alias\n12065559999,x\n')}`,
    status: 1,
  },
  {
    command: 'edge-strategy firewall',
    success: 'edge-strategy firewall 3 --format iptables',
    refusal: 'edge-strategy firewall 999',
    status: 3,
    bytes: true,
  },
  {
    command: 'e911 import',
    as: 'operator',
    success: async (world, run) =>
      `e911 import ${await fileOf(world, `streets-${run}.csv`, `${streets}${'1'.repeat(run + 1)},Elm St,Lakeside,WI,53900,US\n`)} --format points --name transcript-${run} --wait`,
    refusal: async (world) =>
      `e911 import ${await fileOf(world, 'no-streets.csv', 'a,b\n1,2\n')} --format points --name none --wait`,
    status: 1,
  },
  {
    command: 'webhooks listen',
    success: async (world) => `webhooks listen --port ${await notified(world)} --count 1`,
    refusal: 'webhooks listen --count none',
    status: 6,
  },
  {
    command: 'clock advance',
    as: 'operator',
    success: 'clock advance 1 second',
    refusal: 'clock advance a while',
    status: 1,
  },
  {
    command: 'clock set',
    as: 'operator',
    success: async (world) => `clock set ${await inAMinute(world)}`,
    refusal: 'clock set 2020-01-01T00:00:00Z',
    status: 1,
  },
  {
    command: 'dev',
    // its first start on a busy machine; the time limit is only for hangs
    success: async (world) => `dev --server ${await checkoutWithData(world)} --timeout ${hang_ms / 1000} -- true`,
    refusal: 'dev --server /nonexistent',
    status: 6,
    bytes: true,
  },
]

export const longTranscripts: readonly Transcript[] = [...cdr, ...port, ...queue, ...others]
