import { approvedCnam, friendship } from '../../../acceptance/support/cast.ts'
import type { Transcript, World } from '../support/transcript.ts'

const number = '12065550100'
const absent = '19995550100'

const approved = (world: World, run: number) => approvedCnam(world.service, `CLI ${run}`)

/** An unused emergency address. */
export async function newE911({ service }: World, unit: string): Promise<string> {
  const attributes = friendship(unit)
  return (await service.account.createE911({ body: { data: { type: 'e911', attributes } } })).body.data.id
}

export const numberTranscripts: readonly Transcript[] = [
  {
    command: 'numbers list',
    success: 'numbers list --limit 3 --starts-with 206',
    refusal: 'numbers list --starts-with abc',
    status: 1,
  },
  { command: 'numbers get', success: `numbers get ${number}`, refusal: `numbers get ${absent}`, status: 3 },
  {
    command: 'numbers update',
    success: (_, run) => `numbers update ${number} --alias "Desk ${run}"`,
    refusal: `numbers update ${number}`,
    status: 6,
  },
  {
    command: 'numbers set-primary-route',
    success: (_, run) => `numbers set-primary-route ${number} ${run % 2 === 0 ? 1 : 'none'}`,
    refusal: `numbers set-primary-route ${number} 99999`,
    status: 1,
  },
  {
    command: 'numbers set-failover-route',
    success: (_, run) => `numbers set-failover-route ${number} ${run % 2 === 0 ? 1 : 'none'}`,
    refusal: `numbers set-failover-route ${absent} 1`,
    status: 3,
  },
  {
    command: 'numbers set-cnam',
    success: async (world, run) => `numbers set-cnam ${number} ${await approved(world, run)}`,
    refusal: `numbers set-cnam ${number} 99999`,
    status: 3,
  },
  {
    command: 'numbers remove-cnam',
    success: `numbers remove-cnam ${number}`,
    refusal: `numbers remove-cnam ${absent}`,
    status: 3,
  },
  {
    command: 'numbers set-e911',
    success: async (world, run) => `numbers set-e911 ${number} ${await newE911(world, `7${run}`)}`,
    refusal: `numbers set-e911 ${number} 99999`,
    status: 3,
  },
  {
    command: 'numbers remove-e911',
    success: `numbers remove-e911 ${number} --yes`,
    refusal: `numbers remove-e911 ${number}`,
    status: 6,
  },
  {
    command: 'numbers add',
    as: 'operator',
    success: (_, run) =>
      `numbers add --account 1001 --numbers '[{"value":"1425555900${run}","number_type":"longcode"}]'`,
    refusal: 'numbers add --account 1001 --numbers []',
    status: 1,
  },
]
