import type { Transcript, World } from '../support/transcript.ts'

const signIn = ({ service }: World, profile: string) =>
  `login --profile ${profile} --url ${service.base_url} --access-key ${service.keys.account.access_key}`

export const programTranscripts: readonly Transcript[] = [
  { command: 'health live', success: 'health live', refusal: 'health live --fields nothing', status: 6 },
  { command: 'health ready', success: 'health ready', refusal: 'health ready now', status: 6 },
  { command: 'whoami', success: 'whoami', refusal: 'whoami --profile nobody', status: 2 },
  { command: 'doctor', success: 'doctor', refusal: 'doctor --profile nobody', status: 2 },
  {
    command: 'login',
    success: (world, run) => signIn(world, `p${run}`),
    refusal: ({ service }) => `login --url ${service.base_url} --access-key akUnknown`,
    status: 2,
  },
  { command: 'profile list', success: 'profile list', refusal: 'profile list --fields secret_key', status: 6 },
  {
    command: 'profile use',
    success: (_, run) => `profile use p${run}`,
    refusal: 'profile use nobody',
    status: 2,
  },
  {
    command: 'logout',
    success: (_, run) => `logout --profile p${run}`,
    refusal: 'logout --profile nobody',
    status: 2,
  },
  {
    command: 'api',
    success: 'api GET /v2/numbers -f limit=1',
    refusal: 'api GET /v2/numbers/19995550100',
    status: 3,
  },
  {
    command: 'completion',
    bytes: true,
    success: 'completion bash',
    refusal: 'completion sh',
    status: 6,
  },
  {
    command: 'location held',
    success: 'location held - --help',
    bytes: true,
    refusal: 'location held -',
    stdin: '<locationRequest xmlns="urn:ietf:params:xml:ns:geopriv:held"/>',
    status: 3,
  },
  {
    command: 'location lost',
    success: 'location lost - --help',
    bytes: true,
    refusal: 'location lost -',
    stdin: '<listServices xmlns="urn:ietf:params:xml:ns:lost1"/>',
    status: 3,
  },
]
