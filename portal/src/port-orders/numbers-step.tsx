import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useChange } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Button, FileDrop, IconButton, PhoneNumber, Problem, Soft, Stack, TextField } from '../ui/index.ts'
import { phoneText } from '../ui/text.ts'
import { useDraft } from './draft.ts'
import css from './form.module.css'
import { Portability } from './portability.tsx'
import { portabilityOf } from './queries.ts'
import { readNumbers } from './read-numbers.ts'
import { StepPanel } from './steps.tsx'
import { numbersText, type PortOrder } from './words.ts'

/** Parses pasted numbers and shows which are portable and why others are not. */
export function DraftNumbersStep({ onDone }: { onDone(): void }) {
  const [{ text }, change] = useDraft()
  const { numbers, unread, found, portable, disabledReason } = useFound(text)
  const add = async (files: readonly File[]) => {
    const texts = await Promise.all(files.map((file) => file.text()))
    change({ text: [text, ...texts].filter((each) => each !== '').join('\n') })
  }
  return (
    <StepPanel
      title="Which numbers do you want to port?"
      words="Paste them in any format, from a bill, an email, or a spreadsheet."
      verbs={
        <Button
          kind="primary"
          disabledReason={disabledReason}
          onPress={() => {
            change({ numbers: portable })
            onDone()
          }}
        >
          {portable.length === 0 ? 'Continue' : `Continue with ${numbersText(portable.length)}`}
        </Button>
      }
    >
      <Stack gap="narrow">
        <TextField
          label="Numbers"
          rows={5}
          value={text}
          onChange={(value) => change({ text: value })}
          placeholder={'(206) 555-7001\n+1 206 555 7002'}
          aside={numbers.length === 0 ? undefined : numbersText(numbers.length)}
        />
        <FileDrop
          label="Or drop a CSV or text file"
          accept={['.csv', '.txt', 'text/csv', 'text/plain']}
          multiple
          onFiles={(files) => void add(files)}
        />
        {unread.length > 0 && <Unread pieces={unread} />}
      </Stack>
      {numbers.length > 0 && <Loaded query={found}>{({ data }) => <Portability data={data} />}</Loaded>}
    </StepPanel>
  )
}

/** The numbers in a text, and which of them are portable. */
function useFound(text: string) {
  const readOnly = useReadOnlyReason()
  const { numbers, unread } = readNumbers(text)
  const found = useQuery({
    ...portabilityOf(numbers),
    enabled: numbers.length > 0,
    placeholderData: keepPreviousData,
  })
  const known = numbers.length > 0 && !found.isPlaceholderData
  const portable = known ? (found.data?.data.portable ?? []) : []
  const whyNone = found.isFetching ? 'The numbers are being checked.' : 'None of these numbers can be ported.'
  const disabledReason = numbers.length === 0 ? 'Paste the numbers first.' : portable.length === 0 ? whyNone : null
  return { numbers, unread, found, portable, disabledReason: readOnly ?? disabledReason }
}

/** Unreadable pieces listed. */
const named_max = 5

function Unread({ pieces }: { pieces: readonly string[] }) {
  return (
    <p className={css.finding} data-meaning="needs-you">
      <span>
        Not recognized: {pieces.slice(0, named_max).join(', ')}
        {pieces.length > named_max && ` and ${pieces.length - named_max} more`}. US and Canadian numbers have ten
        digits.
      </span>
    </p>
  )
}

/** The numbers of a created order, which can be added and removed until it is signed. */
export function SavedNumbersStep({ order, onDone }: { order: PortOrder; onDone(): void }) {
  const [text, setText] = useState('')
  const change = useChange('changePortOrderNumbers')
  const readOnly = useReadOnlyReason()
  const { numbers } = order.attributes
  const added = readNumbers(text).numbers.filter((each) => !numbers.includes(each))
  const send = (body: { add?: string[]; remove?: string[] }) =>
    change.mutate({ params: { portorder_id: order.id }, body }, { onSuccess: () => body.add && setText('') })
  return (
    <StepPanel
      title={`${numbersText(numbers.length)} on this order`}
      words="Until you sign, you can add numbers of the same type and carrier, and remove any."
      verbs={
        <Button kind="primary" onPress={onDone}>
          Continue
        </Button>
      }
    >
      <ul className={css.onOrder}>
        {numbers.slice(0, shown_max).map((value) => (
          <li key={value}>
            <PhoneNumber value={value} />
            {numbers.length > 1 && readOnly === null && (
              <IconButton name={`Remove ${phoneText(value)}`} icon={<X />} onPress={() => send({ remove: [value] })} />
            )}
          </li>
        ))}
      </ul>
      {numbers.length > shown_max && <Soft as="p">And {numbers.length - shown_max} more.</Soft>}
      <Stack gap="narrow">
        <TextField label="Add numbers" rows={3} value={text} onChange={setText} />
        {change.error && <Problem refusal={refusalOf(change.error)} />}
        <div>
          <Button
            isPending={change.isPending}
            disabledReason={readOnly ?? (added.length === 0 ? 'Paste numbers that aren’t on the order yet.' : null)}
            onPress={() => send({ add: added })}
          >
            Add{added.length > 0 && ` ${numbersText(added.length)}`}
          </Button>
        </div>
      </Stack>
    </StepPanel>
  )
}

/** Numbers listed here; the command line can remove the others. */
const shown_max = 500
