import { useQuery } from '@tanstack/react-query'
import { q, refusalOf, useChange, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.tsx'
import { PhoneNumber } from '../ui/values.tsx'

type Cnam = Body<'listCnams'>['data'][number]

/** So many of the numbers that lose the name are written out. */
const named_max = 5

/** Removes a name, and says beforehand which numbers lose it. */
export function DeleteDialog({ cnam, onClose }: { cnam: Cnam; onClose(): void }) {
  const { value } = cnam.attributes
  const params = { cnam_id: cnam.id }
  const record = useQuery(q('getCnam', { params }))
  const remove = useChange('deleteCnam')
  const send = () =>
    remove.mutate(
      { params },
      {
        onSuccess: () => {
          toast(`${value} is removed.`, { kind: 'done' })
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={`Remove ${value}`}
      isOpen
      onClose={onClose}
      verbs={
        <>
          <Button onPress={onClose}>Keep it</Button>
          <Button kind="danger" isPending={remove.isPending} onPress={send}>
            Remove the name
          </Button>
        </>
      }
    >
      <Stack gap="narrow">
        <Loaded query={record} skeleton={<Skeleton rows={2} />}>
          {({ data: { relationships } }) => <Consequence {...relationships.numbers} />}
        </Loaded>
        {remove.error !== null && <Problem refusal={refusalOf(remove.error)} />}
      </Stack>
    </Dialog>
  )
}

function Consequence({ data, meta: { count } }: Body<'getCnam'>['data']['relationships']['numbers']) {
  if (count === 0) return <p>No number has it: nothing changes for your callees.</p>
  return (
    <>
      <p>
        {count === 1 ? 'One number loses' : `${count.toLocaleString('en-US')} numbers lose`} this name. Callees then see
        the number alone, and a new name has to be approved first.
      </p>
      <ul>
        {data.slice(0, named_max).map(({ id }) => (
          <li key={id}>
            <PhoneNumber value={id} />
          </li>
        ))}
        {count > named_max && <li>and {(count - named_max).toLocaleString('en-US')} more</li>}
      </ul>
    </>
  )
}
