import { writeFile } from 'node:fs/promises'
import type { Transcript, World } from '../support/transcript.ts'

const edge = (name: string) =>
  `--name ${name} --naptr ${name}.sip.example.com --firewall-rules 192.0.2.240/28 --description Test`

async function newEdgeStrategy({ service }: World, name: string): Promise<string> {
  const { body } = await service.operator.createEdgeStrategy({
    body: { name, firewall_rules: '192.0.2.240/28', naptr: `${name}.sip.example.com` },
  })
  return String(body.data.id)
}

async function newCnam({ service }: World, value: string): Promise<string> {
  return (await service.account.createCnam({ body: { value } })).body.data.id
}

async function newAccount({ service }: World, name: string): Promise<string> {
  return (await service.operator.createAccount({ body: { name } })).body.data.id
}

async function newKey({ service }: World, name: string): Promise<string> {
  return (await service.operator.createKey({ params: { account_id: '1003' }, body: { name } })).body.data.id
}

async function newOperatorKey({ service }: World, name: string): Promise<string> {
  return (await service.operator.createOperatorKey({ body: { name } })).body.data.id
}

const operatorOnly: readonly Omit<Transcript, 'as'>[] = [
  {
    command: 'edge-strategy create',
    success: (_, run) => `edge-strategy create ${edge(`t${run}`)}`,
    refusal: 'edge-strategy create --name "" --naptr x',
    status: 1,
  },
  {
    command: 'edge-strategy replace',
    success: async (world, run) =>
      `edge-strategy replace ${await newEdgeStrategy(world, `r${run}`)} ${edge(`r${run}x`)}`,
    refusal: `edge-strategy replace 99 ${edge('none')}`,
    status: 3,
  },
  {
    command: 'edge-strategy delete',
    success: async (world, run) => `edge-strategy delete ${await newEdgeStrategy(world, `d${run}`)} --yes`,
    refusal: 'edge-strategy delete 2 --yes',
    status: 4,
  },
  {
    command: 'cnam approve',
    success: async (world, run) => `cnam approve ${await newCnam(world, `YES ${run}`)}`,
    refusal: 'cnam approve 99999',
    status: 3,
  },
  {
    command: 'cnam reject',
    success: async (world, run) => `cnam reject ${await newCnam(world, `NO ${run}`)} --reason "Not yours."`,
    refusal: 'cnam reject 1',
    status: 6,
  },
  { command: 'account list', success: 'account list', refusal: 'account list --limit 0', status: 6 },
  {
    command: 'account summary',
    success: 'account summary --search a',
    refusal: 'account summary --limit 0',
    status: 6,
  },
  { command: 'account get', success: 'account get 1001', refusal: 'account get 99999', status: 3 },
  {
    command: 'account create',
    success: (_, run) => `account create --name "Account ${run}"`,
    refusal: 'account create --name ""',
    status: 1,
  },
  {
    command: 'account close',
    success: async (world, run) => `account close --account ${await newAccount(world, `Closing ${run}`)} --yes`,
    refusal: 'account close --account 99999 --yes',
    status: 1,
  },
  {
    command: 'account hold',
    success: async (world, run) => `account hold --account ${await newAccount(world, `Held ${run}`)} --reason Subpoena`,
    refusal: 'account hold --account 99999 --reason Subpoena',
    status: 1,
  },
  {
    command: 'account lift-hold',
    success: async (world, run) => {
      const account_id = await newAccount(world, `Lifted ${run}`)
      await world.service.operator.setLegalHold({ params: { account_id }, body: { is_held: true, reason: 'Subpoena' } })
      return `account lift-hold --account ${account_id} --reason Settled`
    },
    refusal: 'account lift-hold --account 1001 --reason Settled',
    status: 4,
  },
  {
    command: 'account personal-data',
    success: 'account personal-data --account 1001',
    refusal: 'account personal-data --account 99999',
    status: 1,
  },
  {
    command: 'account delete-personal-data',
    success: async (world, run) => {
      const account_id = await newAccount(world, `Deleted ${run}`)
      await world.service.operator.closeAccount({ params: { account_id } })
      return `account delete-personal-data --account ${account_id} --confirm "Deleted ${run}" --yes`
    },
    refusal: 'account delete-personal-data --account 1001 --confirm Other --yes',
    status: 1,
  },
  {
    command: 'retention plan',
    success: 'retention plan',
    shows: /^order_documents\t\t36 months\t0\t\tfalse$[^]*^call_records\t\tforever\t0\t/m,
    refusal: 'retention plan --account abc',
    status: 6,
  },
  { command: 'retention run', success: 'retention run --yes', refusal: 'retention run --nothing', status: 6 },
  { command: 'key list', success: 'key list --account 1001', refusal: 'key list', status: 6 },
  { command: 'key get', success: 'key get 1 --account 1001', refusal: 'key get 99999 --account 1001', status: 3 },
  {
    command: 'key create',
    success: (_, run) => `key create --account 1001 --name "Key ${run}" --scope read cdrs:write`,
    refusal: 'key create --account 1001 --name Key --scope everything',
    status: 1,
  },
  {
    command: 'key rotate',
    success: async (world, run) => `key rotate ${await newKey(world, `R${run}`)} --account 1003`,
    refusal: 'key rotate 99999 --account 1003',
    status: 3,
  },
  {
    command: 'key revoke',
    success: async (world, run) => `key revoke ${await newKey(world, `K${run}`)} --account 1003 --yes`,
    refusal: 'key revoke 99999 --account 1003 --yes',
    status: 3,
  },
  { command: 'operator-key list', success: 'operator-key list', refusal: 'operator-key list --limit x', status: 6 },
  { command: 'operator-key get', success: 'operator-key get 1', refusal: 'operator-key get 99999', status: 3 },
  {
    command: 'operator-key create',
    success: (_, run) => `operator-key create --name "Shift ${run}"`,
    refusal: 'operator-key create',
    status: 6,
  },
  {
    command: 'operator-key revoke',
    success: async (world, run) => `operator-key revoke ${await newOperatorKey(world, `S${run}`)} --yes`,
    refusal: 'operator-key revoke 99999 --yes',
    status: 3,
  },
  { command: 'e911-dataset list', success: 'e911-dataset list', refusal: 'e911-dataset list --nothing', status: 6 },
  { command: 'e911-dataset get', success: 'e911-dataset get 1', refusal: 'e911-dataset get 99', status: 3 },
  {
    command: 'e911-dataset places',
    success: 'e911-dataset places 1 --limit 3',
    refusal: 'e911-dataset places 99',
    status: 3,
  },
  {
    command: 'e911-dataset counties',
    success: 'e911-dataset counties --state WI --limit 3',
    refusal: 'e911-dataset counties --state wi',
    status: 1,
  },
  {
    command: 'e911-dataset activate',
    success: 'e911-dataset activate 1 --yes',
    refusal: 'e911-dataset activate 99 --yes',
    status: 3,
  },
  {
    command: 'e911-dataset delete',
    success: 'e911-dataset delete 1 --dry-run',
    refusal: 'e911-dataset delete 99 --yes',
    status: 3,
  },
  { command: 'alert list', success: 'alert list', refusal: 'alert list --state lost', status: 6 },
  {
    command: 'cdr recount',
    success: 'cdr recount --account 1001 --month 2020-01',
    refusal: 'cdr recount --account 99999 --month 2020-01',
    status: 1,
  },
  { command: 'job list', success: 'job list', refusal: 'job list --state lost', status: 6 },
  { command: 'job kinds', success: 'job kinds', refusal: 'job kinds --nothing', status: 6 },
  {
    command: 'webhooks failing',
    success: 'webhooks failing',
    refusal: 'webhooks failing --nothing',
    status: 6,
  },
  {
    command: 'job retry',
    success: 'job retry deliver:1 --dry-run',
    refusal: 'job retry deliver:99999',
    status: 3,
  },
  { command: 'audit list', success: 'audit list --limit 5', refusal: 'audit list --account x', status: 6 },
  {
    command: 'audit verify',
    success: 'audit verify --account 1001',
    refusal: 'audit verify --account 99999',
    status: 1,
  },
  {
    command: 'port verify-loa',
    success: async ({ service, folder }) => {
      const params = { portorder_id: '1002' }
      const files = (await service.account.listPortOrderFiles({ params })).body.data
      const loa = files.find(({ attributes }) => attributes.filename === 'LOA-1002.pdf')?.id ?? ''
      const { body } = await service.account.getPortOrderFileContent({ params: { ...params, file: loa } })
      await writeFile(`${folder}/loa.pdf`, await body.bytes())
      return `port verify-loa 1002 ${folder}/loa.pdf`
    },
    refusal: 'port verify-loa 1 -',
    stdin: '%PDF-1.4',
    status: 3,
  },
  { command: 'clock get', success: 'clock get', refusal: 'clock get now', status: 6 },
]

export const operatorTranscripts: readonly Transcript[] = operatorOnly.map((each) => ({ ...each, as: 'operator' }))
