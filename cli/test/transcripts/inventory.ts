import { writeFile } from 'node:fs/promises'
import type { Transcript, World } from '../support/transcript.ts'

const header = 'number,rate_center,state,monthly_cost,setup_cost,supplier'
const lineOf = (number: string) => `${number},SEATTLE,WA,1.25,1.00,own`
const absent = '19985550100'

let last = 12_065_660_000
/** A new number in the inventory. */
async function newNumber({ service }: World): Promise<string> {
  const number = String(++last)
  await service.operator.loadInventory({ body: `${header}\n${lineOf(number)}`, content_type: 'text/csv' })
  return number
}

async function orderedNumber(world: World): Promise<string> {
  const number = await newNumber(world)
  await world.service.account.orderNumber({ params: { number }, body: {} })
  return number
}

async function releasedNumber(world: World): Promise<string> {
  const number = await orderedNumber(world)
  await world.service.account.releaseNumber({ params: { number } })
  return number
}

async function newOrder(world: World): Promise<string> {
  const { body } = await world.service.account.createNumberOrder({ body: { numbers: [await newNumber(world)] } })
  return body.data.id
}

/** An order that waits for approval. Other orders of the account do not need it. */
async function pendingOrder(world: World): Promise<string> {
  const params = { account_id: '1001' }
  const limits = { numbers_max: null, reserved_max: null }
  await world.service.operator.setNumberPolicy({ params, body: { ...limits, approval: 'all' } })
  const id = await newOrder(world)
  await world.service.operator.setNumberPolicy({ params, body: { ...limits, approval: 'none' } })
  return id
}

async function newReservation(world: World): Promise<string> {
  const { body } = await world.service.account.createNumberReservation({ body: { numbers: [await newNumber(world)] } })
  return body.data.id
}

async function newFile({ folder }: World): Promise<string> {
  const file = `${folder}/inventory.csv`
  await writeFile(file, `${header}\n${lineOf(String(++last))}\n`)
  return file
}

async function newPortout(world: World): Promise<string> {
  const { body } = await world.service.operator.createPortout({
    body: {
      numbers: [await orderedNumber(world)],
      gaining_carrier: 'Lakeview Telephone',
      gaining_spid: '599X',
      reference: 'LV-20417',
      requested_due_date: '2026-12-01',
    },
  })
  return body.data.id
}

const forOperator: readonly Omit<Transcript, 'as'>[] = [
  {
    command: 'inventory list',
    success: 'inventory list --limit 3',
    refusal: 'inventory list --starts-with abc',
    status: 1,
  },
  {
    command: 'inventory load',
    success: async (world) => `inventory load ${await newFile(world)}`,
    refusal: async ({ folder }) => {
      await writeFile(`${folder}/empty.csv`, '')
      return `inventory load ${folder}/empty.csv`
    },
    status: 1,
  },
  {
    command: 'inventory change',
    success: async (world) => `inventory change --action hold --reason Test --numbers ${await newNumber(world)}`,
    refusal: `inventory change --action hold --numbers ${absent}`,
    status: 1,
  },
  {
    command: 'inventory stock',
    success: 'inventory stock --limit 3',
    refusal: 'inventory stock --low-below 0',
    status: 1,
  },
  {
    command: 'inventory utilization',
    success: 'inventory utilization --limit 3',
    refusal: 'inventory utilization --starts-with abc',
    status: 1,
  },
  {
    command: 'portout create',
    success: async (world) =>
      `portout create --numbers ${await orderedNumber(world)} --gaining-carrier Lakeview --gaining-spid 599X --reference LV-1 --requested-due-date 2026-12-01`,
    refusal: `portout create --numbers ${absent} --gaining-carrier Lakeview --gaining-spid 599X --reference LV-1 --requested-due-date 2026-12-01`,
    status: 1,
  },
  {
    command: 'portout change',
    success: async (world) => `portout change ${await newPortout(world)} --status canceled`,
    refusal: 'portout change 99999 --status canceled',
    status: 3,
  },
  {
    command: 'inventory policy',
    success: 'inventory policy --account 1001',
    refusal: 'inventory policy --account 99999',
    status: 1,
  },
  {
    command: 'inventory set-policy',
    success: "inventory set-policy --account 1003 --numbers-max 500 --reserved-max '' --approval none",
    refusal: 'inventory set-policy --account 99999 --numbers-max 5 --reserved-max 5 --approval none',
    status: 1,
  },
  {
    command: 'price-class list',
    success: 'price-class list',
    refusal: 'price-class list --color red',
    status: 6,
  },
  {
    command: 'price-class set',
    success: 'price-class set gold --monthly-cost 5.00 --setup-cost 10.00',
    refusal: 'price-class set gold --monthly-cost cheap --setup-cost 0',
    status: 1,
  },
  {
    command: 'price-class prices',
    success: 'price-class prices --account 1001',
    refusal: 'price-class prices --account 99999',
    status: 1,
  },
  {
    command: 'price-class set-price',
    success: 'price-class set-price gold --account 1003 --monthly-cost 4.50 --setup-cost 0',
    refusal: 'price-class set-price tin --account 1003 --monthly-cost 4.50 --setup-cost 0',
    status: 3,
  },
  {
    command: 'price-class remove-price',
    success: async ({ service }) => {
      const price_class = `gold-${++last}`
      const body = { monthly_cost: '5', setup_cost: '0' }
      await service.operator.setPriceClass({ params: { price_class }, body })
      await service.operator.setAccountPrice({ params: { account_id: '1003', price_class }, body })
      return `price-class remove-price ${price_class} --account 1003`
    },
    refusal: 'price-class remove-price tin --account 1003',
    status: 3,
  },
  {
    command: 'number-order queue',
    success: 'number-order queue --status pending_approval',
    refusal: 'number-order queue --limit 0',
    status: 6,
  },
  {
    command: 'number-order approve',
    success: async (world) => `number-order approve ${await pendingOrder(world)}`,
    refusal: 'number-order approve 99999',
    status: 3,
  },
  {
    command: 'number-order reject',
    success: async (world) => `number-order reject ${await pendingOrder(world)} --reason "No credit."`,
    refusal: 'number-order reject 99999 --reason "No credit."',
    status: 3,
  },
]

export const inventoryTranscripts: readonly Transcript[] = [
  {
    command: 'numbers search',
    success: 'numbers search --limit 3 --starts-with 206',
    refusal: 'numbers search --spells 12',
    status: 1,
  },
  {
    command: 'numbers area-codes',
    success: 'numbers area-codes',
    refusal: 'numbers area-codes --max-setup-cost cheap',
    status: 1,
  },
  {
    command: 'numbers exchanges',
    success: 'numbers exchanges --areacode 206',
    refusal: 'numbers exchanges --areacode 12',
    status: 1,
  },
  {
    command: 'numbers reserve',
    success: async (world) => `numbers reserve ${(await newNumber(world)).slice(1)} ${await newNumber(world)}`,
    refusal: `numbers reserve ${absent}`,
    status: 1,
  },
  {
    command: 'numbers order',
    success: async (world) => `numbers order ${await newNumber(world)}`,
    refusal: `numbers order ${absent}`,
    status: 1,
  },
  {
    command: 'numbers release',
    success: async (world) => `numbers release ${(await orderedNumber(world)).slice(1)} --yes`,
    refusal: `numbers release ${absent} --yes`,
    status: 3,
  },
  {
    command: 'numbers restore',
    success: async (world) => `numbers restore ${await releasedNumber(world)}`,
    refusal: `numbers restore ${absent}`,
    status: 3,
  },
  {
    command: 'number-order create',
    success: async (world) => `number-order create --numbers ${await newNumber(world)}`,
    refusal: 'number-order create --quantity 0',
    status: 1,
  },
  { command: 'number-order list', success: 'number-order list', refusal: 'number-order list --limit 0', status: 6 },
  {
    command: 'number-order get',
    success: async (world) => `number-order get ${await newOrder(world)}`,
    refusal: 'number-order get 99999',
    status: 3,
  },
  {
    command: 'number-order cancel',
    success: async (world) => `number-order cancel ${await pendingOrder(world)} --yes`,
    refusal: 'number-order cancel 99999 --yes',
    status: 3,
  },
  {
    command: 'number-reservation list',
    success: 'number-reservation list',
    refusal: 'number-reservation list --limit 0',
    status: 6,
  },
  {
    command: 'number-reservation get',
    success: async (world) => `number-reservation get ${await newReservation(world)}`,
    refusal: 'number-reservation get 99999',
    status: 3,
  },
  {
    command: 'number-reservation extend',
    success: async (world) => `number-reservation extend ${await newReservation(world)}`,
    refusal: 'number-reservation extend 99999',
    status: 3,
  },
  {
    command: 'number-reservation release',
    success: async (world) => `number-reservation release ${await newReservation(world)}`,
    refusal: 'number-reservation release 99999',
    status: 3,
  },
  { command: 'portout list', success: 'portout list', refusal: 'portout list --limit 0', status: 6 },
  {
    command: 'portout get',
    success: async (world) => `portout get ${await newPortout(world)}`,
    refusal: 'portout get 99999',
    status: 3,
  },
  {
    command: 'portout respond',
    success: async (world) => `portout respond ${await newPortout(world)} --response disputed`,
    refusal: 'portout respond 99999 --response disputed',
    status: 3,
  },
  ...forOperator.map((each): Transcript => ({ ...each, as: 'operator' })),
]
