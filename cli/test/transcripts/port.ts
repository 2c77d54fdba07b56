import { writeFile } from 'node:fs/promises'
import { portOrder } from '../../../acceptance/support/cast.ts'
import type { Transcript, World } from '../support/transcript.ts'

let ordered = 0

/** A new port order for one number of its own. */
async function newOrder({ service }: World): Promise<string> {
  const number = `+1206557${String(3000 + ordered++)}`
  const { body } = await service.account.createPortOrder({
    body: { data: { type: 'portorder', attributes: portOrder([number]) } },
  })
  if (body.data.type !== 'portorder') throw new Error('no order was made')
  return body.data.id
}

/** A document of an order. */
async function newDocument(world: World): Promise<string> {
  const portorder_id = await newOrder(world)
  const { body } = await world.service.account.uploadPortOrderFile({
    params: { portorder_id, file: 'bill.txt' },
    body: 'A bill.',
    content_type: 'text/plain',
  })
  return `${portorder_id} ${body.data.id}`
}

export const portTranscripts: readonly Transcript[] = [
  { command: 'port list', success: 'port list', refusal: 'port list --status Lost', status: 6 },
  { command: 'port get', success: 'port get 1008', refusal: 'port get 1', status: 3 },
  { command: 'port status', success: 'port status 1008', refusal: 'port status 1', status: 3 },
  { command: 'port group', success: 'port group 1008', refusal: 'port group 1', status: 3 },
  {
    command: 'port update',
    success: async (world) => `port update ${await newOrder(world)} --provider-account 4711`,
    refusal: 'port update 1002 --city Seattle',
    status: 4,
  },
  {
    command: 'port cancel',
    success: async (world) => `port cancel ${await newOrder(world)} --yes`,
    refusal: 'port cancel 1002 --yes',
    status: 4,
  },
  {
    command: 'port resubmit',
    success: 'port resubmit 1005 --dry-run',
    refusal: 'port resubmit 1008',
    status: 4,
  },
  {
    command: 'port change-numbers',
    success: async (world) => `port change-numbers ${await newOrder(world)} --add +1206558${3000 + ordered}`,
    refusal: 'port change-numbers 1002 --add +12065583999',
    status: 4,
  },
  { command: 'port timeline', success: 'port timeline 1008', refusal: 'port timeline 1', status: 3 },
  { command: 'port completion', success: 'port completion 1008', refusal: 'port completion 1', status: 3 },
  { command: 'port comments', success: 'port comments 1008', refusal: 'port comments 1', status: 3 },
  {
    command: 'port comment',
    success: (_, run) => `port comment 1008 --text "Comment ${run}."`,
    refusal: 'port comment 1008 --text ""',
    status: 1,
  },
  { command: 'port calendar', success: 'port calendar', refusal: 'port calendar extra', status: 6, bytes: true },
  {
    command: 'port create-calendar-link',
    success: 'port create-calendar-link',
    refusal: 'port create-calendar-link extra',
    status: 6,
  },
  {
    command: 'port calendar-link',
    success: 'port calendar-link',
    refusal: async ({ service }) => {
      await service.account.createPortOrderCalendarLink()
      await service.account.revokePortOrderCalendarLink()
      return 'port calendar-link'
    },
    status: 3,
  },
  {
    command: 'port revoke-calendar-link',
    success: async ({ service }) => {
      await service.account.createPortOrderCalendarLink()
      return 'port revoke-calendar-link --yes'
    },
    refusal: 'port revoke-calendar-link --yes',
    status: 3,
  },
  { command: 'port loa', success: 'port loa 1008', refusal: 'port loa 1', status: 3 },
  { command: 'port documents', success: 'port documents 1002', refusal: 'port documents 1', status: 3 },
  {
    command: 'port document',
    success: async (world) => `port document ${await newDocument(world)}`,
    refusal: 'port document 1008 99999',
    status: 3,
  },
  {
    command: 'port download',
    bytes: true,
    success: async (world) => `port download ${await newDocument(world)}`,
    refusal: 'port download 1008 99999',
    status: 3,
  },
  {
    command: 'port upload',
    success: async (world, run) => {
      const file = `${world.folder}/bill${run}.txt`
      await writeFile(file, `Bill ${run}`)
      return `port upload ${await newOrder(world)} ${file}`
    },
    refusal: async ({ folder }) => {
      await writeFile(`${folder}/late.txt`, 'late')
      return `port upload 1002 ${folder}/late.txt`
    },
    status: 4,
  },
  {
    command: 'port pull',
    success: async (world) => `port pull ${await newOrder(world)} --url https://files.example/bill.pdf --dry-run`,
    refusal: 'port pull 1008 --url nowhere',
    status: 1,
  },
]
