import type { Transcript, World } from '../support/transcript.ts'
import { newE911 } from './numbers.ts'

const address = (unit: string) =>
  `--label "Office ${unit}" --first-name Rosa --last-name Diaz --street-number 100 --street-name "N Main St" --address-type Suite --address-type-number ${unit} --city Friendship --state WI --country US --zip 53934`

async function newRoute({ service }: World, value: string): Promise<string> {
  return (await service.account.createRoute({ body: { route_type: 'host', value } })).body.data.id
}

async function newCnam({ service }: World, value: string): Promise<string> {
  return (await service.account.createCnam({ body: { value } })).body.data.id
}

async function newExport({ service }: World): Promise<string> {
  const filter_parameters = {
    start_call_start_time: '2026-11-01T00:00:00Z',
    start_call_end_time: '2026-11-02T00:00:00Z',
  }
  const { body } = await service.account.createCdrExport({
    body: { data: { type: 'cdrexport', attributes: { filter_parameters } } },
  })
  return body.data.id
}

/** An export with an existing file. */
async function completedExport(world: World): Promise<string> {
  const export_id = await newExport(world)
  for (;;) {
    const { status } = (await world.service.account.getCdrExport({ params: { export_id } })).body.data.attributes
    if (status === 'completed') return export_id
    if (status === 'failed') throw new Error('The export failed.')
  }
}

export const accountTranscripts: readonly Transcript[] = [
  { command: 'route list', success: 'route list', refusal: 'route list --type sip', status: 6 },
  { command: 'route get', success: 'route get 1', refusal: 'route get 99999', status: 3 },
  {
    command: 'route create',
    success: (_, run) => `route create --type host --value pbx${run}.example.com --alias "PBX ${run}"`,
    refusal: 'route create --type number --value abc',
    status: 1,
  },
  {
    command: 'route update',
    success: async (world, run) => `route update ${await newRoute(world, `u${run}.example.com`)} --alias "U ${run}"`,
    refusal: 'route update 0 --alias Other',
    status: 4,
  },
  {
    command: 'route delete',
    success: async (world, run) => `route delete ${await newRoute(world, `d${run}.example.com`)} --yes`,
    refusal: 'route delete 0 --yes',
    status: 4,
  },
  {
    command: 'edge-strategy list',
    success: 'edge-strategy list',
    refusal: 'edge-strategy list --fields nothing',
    status: 6,
  },
  { command: 'edge-strategy get', success: 'edge-strategy get 1', refusal: 'edge-strategy get 99', status: 3 },
  {
    command: 'cnam list',
    success: 'cnam list --is-approved true',
    refusal: 'cnam list --is-approved perhaps',
    status: 1,
  },
  { command: 'cnam get', success: 'cnam get 1', refusal: 'cnam get 99999', status: 3 },
  {
    command: 'cnam create',
    success: (_, run) => `cnam create --value "NAME ${run}"`,
    refusal: 'cnam create --value "MUCH TOO LONG A NAME"',
    status: 1,
  },
  {
    command: 'cnam update',
    success: async (world, run) => `cnam update ${await newCnam(world, `OLD ${run}`)} --value "NEW ${run}"`,
    refusal: 'cnam update 1 --value OTHER',
    status: 4,
  },
  {
    command: 'cnam delete',
    success: async (world, run) => `cnam delete ${await newCnam(world, `GONE ${run}`)} --yes`,
    refusal: 'cnam delete 99999 --yes',
    status: 3,
  },
  { command: 'e911 list', success: 'e911 list --state WI', refusal: 'e911 list --limit none', status: 6 },
  { command: 'e911 get', success: 'e911 get 13', refusal: 'e911 get 99999', status: 3 },
  {
    command: 'e911 create',
    success: (_, run) => `e911 create ${address(`8${run}`)}`,
    refusal: 'e911 create --label Office --city Friendship',
    status: 1,
  },
  {
    command: 'e911 update',
    success: async (world, run) => `e911 update ${await newE911(world, `9${run}`)} --label "Moved ${run}"`,
    refusal: 'e911 update 15 --zip nothing',
    status: 1,
  },
  {
    command: 'e911 delete',
    success: async (world, run) => `e911 delete ${await newE911(world, `10${run}`)} --yes`,
    refusal: 'e911 delete 99999 --yes',
    status: 3,
  },
  {
    command: 'e911 validate',
    success: `e911 validate ${address('400')}`,
    refusal: `e911 validate ${address('400').replace('N Main St', 'No Such Street')}`,
    status: 1,
  },
  { command: 'e911 numbers', success: 'e911 numbers 13', refusal: 'e911 numbers 99999', status: 3 },
  { command: 'e911 coverage', success: 'e911 coverage', refusal: 'e911 coverage --gap wide', status: 6 },
  {
    command: 'e911-validation create',
    success: 'e911-validation create -',
    stdin: 'label,street_number,street_name,city,state,zip,country\nA,100,N Main St,Friendship,WI,53934,US\n',
    refusal: 'e911-validation create /nonexistent.csv',
    status: 1,
  },
  {
    command: 'e911-validation get',
    success: 'e911-validation get 1',
    refusal: 'e911-validation get 99999',
    status: 3,
  },
  {
    command: 'e911-validation download',
    bytes: true,
    success: async ({ service }) => {
      const body = 'label,street_number,street_name,city,state,zip,country\nA,100,N Main St,Friendship,WI,53934,US\n'
      const { data } = (await service.account.createE911Validation({ body, content_type: 'text/csv' })).body
      for (;;) {
        const validation_id = data.id
        const { status } = (await service.account.getE911Validation({ params: { validation_id } })).body.data.attributes
        if (status !== 'processing') return `e911-validation download ${validation_id}`
      }
    },
    refusal: 'e911-validation download 99999',
    status: 3,
  },
  { command: 'cdr list', success: 'cdr list', refusal: 'cdr list --status lost', status: 6 },
  {
    command: 'cdr get',
    success: async (world) => `cdr get ${await newExport(world)}`,
    refusal: 'cdr get 99999',
    status: 3,
  },
  {
    command: 'cdr estimate',
    success: 'cdr estimate --from 2026-11-01T00:00:00Z --to 2026-11-02T00:00:00Z --direction outbound',
    refusal: 'cdr estimate --from yesterday',
    status: 1,
  },
  {
    command: 'cdr summary',
    success: 'cdr summary --group-by direction --from 2026-11-01T00:00:00Z --to 2026-11-02T00:00:00Z',
    refusal: 'cdr summary --group-by day --timezone Atlantis --from 2026-11-01T00:00:00Z --to 2026-11-02T00:00:00Z',
    status: 1,
  },
  {
    command: 'cdr sample',
    success: 'cdr sample --from 2026-11-01T00:00:00Z --to 2026-11-02T00:00:00Z',
    refusal: 'cdr sample --from yesterday',
    status: 1,
  },
  {
    command: 'cdr download',
    bytes: true,
    success: async (world) => `cdr download ${await completedExport(world)} -o ${world.folder}/calls.csv.gz`,
    refusal: 'cdr download 99999',
    status: 3,
  },
  { command: 'search', success: 'search 2065550', refusal: 'search x', status: 1 },
  { command: 'activity list', success: 'activity list --limit 3', refusal: 'activity list --number 12', status: 1 },
  { command: 'webhooks list', success: 'webhooks list', refusal: 'webhooks list --status lost', status: 6 },
  {
    command: 'webhooks get',
    success: async (world) => `webhooks get ${await newNotification(world)}`,
    refusal: 'webhooks get 99999',
    status: 3,
  },
  {
    command: 'webhooks replay',
    success: async (world) => `webhooks replay ${await newNotification(world)}`,
    refusal: 'webhooks replay 99999',
    status: 3,
  },
  {
    command: 'webhooks test',
    success: 'webhooks test --url http://127.0.0.1:9000/test',
    refusal: 'webhooks test --url ftp://127.0.0.1/',
    status: 1,
  },
  { command: 'webhooks secret', success: 'webhooks secret', refusal: 'webhooks secret --fields key', status: 6 },
  {
    command: 'webhooks rotate-secret',
    success: 'webhooks rotate-secret --yes',
    refusal: 'webhooks rotate-secret',
    status: 6,
  },
]

/** A notification of an export; its URL does not matter. */
async function newNotification({ service }: World): Promise<string> {
  const [present] = (await service.account.listNotifications()).body.data
  if (present) return present.id
  const filter_parameters = {
    start_call_start_time: '2026-11-01T00:00:00Z',
    start_call_end_time: '2026-11-01T01:00:00Z',
  }
  const attributes = { filter_parameters, callback_url: 'http://127.0.0.1:9/callback' }
  await service.account.createCdrExport({ body: { data: { type: 'cdrexport', attributes } } })
  for (;;) {
    const [made] = (await service.account.listNotifications()).body.data
    if (made) return made.id
  }
}
