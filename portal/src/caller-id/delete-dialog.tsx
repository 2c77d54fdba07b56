import { useChange, type Body, useRead } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { PhoneNumber, Skeleton, Stack, toast } from '../ui/index.ts'

type Cnam = Body<'listCnams'>['data'][number]

/** The most affected numbers that the dialog lists. */
const named_max = 5

/** Removes a name after listing the numbers that lose it. */
export function DeleteDialog({ cnam, onClose }: { cnam: Cnam; onClose(): void }) {
  const { value } = cnam.attributes
  const params = { cnam_id: cnam.id }
  const record = useRead('getCnam', { params })
  const remove = useChange('deleteCnam', () => {
    toast(`${value} removed.`, { kind: 'done' })
    onClose()
  })
  return (
    <ConsequenceDialog
      title={`Remove ${value}`}
      verb="Remove the name"
      {...remove}
      onDo={() => remove.mutate({ params })}
      onClose={onClose}
    >
      <Loaded query={record} skeleton={<Skeleton rows={2} />}>
        {({ data: { relationships } }) => <Consequence {...relationships.numbers} />}
      </Loaded>
    </ConsequenceDialog>
  )
}

function Consequence({ data, meta: { count } }: Body<'getCnam'>['data']['relationships']['numbers']) {
  if (count === 0) return <p>No number uses this name, so nothing changes for the people you call.</p>
  return (
    <Stack gap="narrow">
      <p>
        {count === 1 ? 'One number loses' : `${count.toLocaleString('en-US')} numbers lose`} this name. The people you
        call then see only the number. Adding the name again requires a new approval.
      </p>
      <ul>
        {data.slice(0, named_max).map(({ id }) => (
          <li key={id}>
            <PhoneNumber value={id} />
          </li>
        ))}
        {count > named_max && <li>and {(count - named_max).toLocaleString('en-US')} more</li>}
      </ul>
    </Stack>
  )
}
