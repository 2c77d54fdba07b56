import { countText } from '@demarc/client/rules'
import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { everything, refusalOf, request, type Body } from '../../api.ts'
import { Button, Card, Copyable, Count, Link, Problem, Soft, Stack, Status, Time } from '../../ui/index.ts'
import css from '../operator.module.css'
import { pageOfLog } from '../search.ts'
import { brokenText } from './words.ts'

interface Checked extends Pick<Body<'verifyEvents'>, 'data'> {
  /** The account id from the URL; 0 for the operator's own entries. */
  of: string
  name: string
}

/** Verifies the hash chain of one account, or of all. */
export function useChainCheck(of: string | undefined) {
  const [checked, setChecked] = useState<readonly Checked[]>([])
  const check = useMutation({
    mutationFn: async () => {
      setChecked([])
      for await (const each of checks(of)) setChecked((before) => [...before, each])
    },
  })
  const { reset } = check
  useEffect(() => {
    setChecked([])
    reset()
  }, [of, reset])
  return { ...check, checked }
}

type ChainCheck = ReturnType<typeof useChainCheck>

export const CheckButton = ({ of, check }: { of: string | undefined; check: ChainCheck }) => (
  <Button kind="primary" isPending={check.isPending} onPress={() => check.mutate()}>
    <ShieldCheck aria-hidden="true" />
    {of === undefined ? 'Verify all chains' : 'Verify chain'}
  </Button>
)

/** The result; nothing before the first check. */
export function CheckOutcome({ check: { checked, error, isPending, isSuccess } }: { check: ChainCheck }) {
  return (
    <div role="status" className={css.outcome}>
      {error !== null && <Problem refusal={refusalOf(error)} />}
      {(isPending || isSuccess) && (
        <Card title={isPending ? 'Verifying' : 'Verification'}>
          <Outcome checked={checked} is_done={isSuccess} />
        </Card>
      )}
    </div>
  )
}

/** The chains in sequence, the operator's own first if no account is given. */
async function* checks(of: string | undefined): AsyncGenerator<Checked> {
  const verify = async (account_id: string | null, name: string) => {
    const { data } = await request('verifyEvents', account_id === null ? {} : { query: { account_id } })
    return { of: account_id ?? '0', name, data }
  }
  if (of !== undefined) {
    yield await (of === '0' ? verify(null, 'Operator') : verify(of, `Account ${of}`))
    return
  }
  yield await verify(null, 'Operator')
  for (const { id, attributes } of await everything('listAccounts', {})) yield await verify(id, attributes.name)
}

function Outcome({ checked, is_done }: { checked: readonly Checked[]; is_done: boolean }) {
  const broken = checked.filter(({ data }) => !data.intact)
  return (
    <Stack gap="narrow">
      {broken.length === 0 ? (
        <p>
          <Status meaning={is_done ? 'done' : 'moving'}>{is_done ? 'Intact' : 'Intact so far'}</Status>{' '}
          <Sum checked={checked} />
        </p>
      ) : (
        broken.map((each) => <Broken key={each.of} {...each} />)
      )}
      {is_done && broken.length === 0 && checked.length === 1 && <Head checked={checked} />}
    </Stack>
  )
}

/** The checked range. */
function Sum({ checked }: { checked: readonly Checked[] }) {
  const count = checked.reduce((sum, { data }) => sum + data.events, 0)
  const first = checked.flatMap(({ data }) => data.first_at ?? []).toSorted()[0]
  const last = checked
    .flatMap(({ data }) => data.last_at ?? [])
    .toSorted()
    .at(-1)
  return (
    <>
      <Count of={count} /> {count === 1 ? 'entry' : 'entries'} of {countText(checked.length, 'chain')}
      {first !== undefined && last !== undefined && (
        <>
          , from <Time at={first} /> to <Time at={last} />
        </>
      )}
      : every entry matches the digest in the next.
    </>
  )
}

/** The digest of the last entry, to store elsewhere. */
function Head({ checked: [only] }: { checked: readonly Checked[] }) {
  if (only === undefined || only.data.head === '') return null
  return (
    <Soft as="p">
      Store the digest of the last entry elsewhere. If the whole chain were rewritten, this digest would no longer
      match:{' '}
      <span className={css.wrap}>
        <Copyable text={only.data.head} label="the digest of the last entry" />
      </span>
    </Soft>
  )
}

const Broken = ({ of, name, data }: Checked) => (
  <p>
    <Status meaning="refused">Broken</Status> {name}: {brokenText(data)} Compare the log with a backup and review who
    can write to the database.{' '}
    {data.broken_at !== null && data.broken_at <= data.events && (
      <Link to="/operator/audit" search={{ of, offset: pageOfLog(data.events - data.broken_at) }}>
        Show the entries around this point
      </Link>
    )}
  </p>
)
