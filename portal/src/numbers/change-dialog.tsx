import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useWhyReadOnly } from '../account.ts'
import { queries, refusalOf, request } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { ChangeFields } from './change-fields.tsx'
import { ChangeReport } from './change-report.tsx'
import { changesOf, isEmpty, type ChangeForm, type ChangeResult } from './changes.ts'

/** So many numbers in one request: few enough that progress is seen, and a refusal comes soon. */
const chunk_size = 50

interface ChangeDialogProps {
  /** The numbers, in E.164 without the plus. */
  values: readonly string[]
  initial: ChangeForm
  onClose(): void
}

/** Sets alias, routes, caller ID and E911 address of one or many numbers: first what would become of each, then what became of it. */
export function ChangeDialog({ values, initial, onClose }: ChangeDialogProps) {
  const [form, setForm] = useState(initial)
  const readOnly = useWhyReadOnly()
  const [done, setDone] = useState<readonly ChangeResult[]>([])
  const preview = useMutation({ mutationFn: () => sendAll(values, form, true, () => undefined) })
  const apply = useMutation({
    mutationFn: () => sendAll(values, form, false, (results) => setDone((before) => [...before, ...results])),
    onSettled: () => queries.invalidateQueries(),
  })
  const nothing = isEmpty(form) ? 'Choose what to change.' : null
  const what = values.length === 1 ? 'this number' : `${values.length} numbers`
  const error = preview.error ?? apply.error
  const step = apply.isIdle ? (preview.isSuccess ? 'preview' : 'form') : 'result'
  const willChange = preview.data?.filter(({ outcome }) => outcome === 'changed').length ?? 0
  return (
    <Dialog
      title={`Change ${what}`}
      isOpen
      onClose={onClose}
      wide={step !== 'form'}
      dismissable={!apply.isPending}
      verbs={
        step === 'form' ? (
          <Button
            kind="primary"
            isPending={preview.isPending}
            whyNot={readOnly ?? nothing}
            onPress={() => preview.mutate()}
          >
            Show what changes
          </Button>
        ) : step === 'preview' ? (
          <>
            <Button onPress={() => preview.reset()}>Back</Button>
            <Button
              kind="primary"
              whyNot={willChange === 0 ? 'None of them would change.' : null}
              onPress={() => apply.mutate()}
            >
              Change {willChange === 1 ? 'it' : `${willChange} numbers`}
            </Button>
          </>
        ) : (
          <Button kind="primary" isPending={apply.isPending} onPress={onClose}>
            Done
          </Button>
        )
      }
    >
      <Stack>
        {error !== null && <Problem refusal={refusalOf(error)} />}
        {step === 'form' && <ChangeFields form={form} onChange={setForm} single={values.length === 1} />}
        {step === 'preview' && <ChangeReport results={preview.data ?? []} total={values.length} tense="future" />}
        {step === 'result' && <ChangeReport results={done} total={values.length} tense="past" />}
      </Stack>
    </Dialog>
  )
}

/** Sends the change in parts, and reports each as it is done. A number that is refused does not keep the others back. */
async function sendAll(
  values: readonly string[],
  form: ChangeForm,
  dry_run: boolean,
  onResults: (results: readonly ChangeResult[]) => void,
): Promise<ChangeResult[]> {
  const all: ChangeResult[] = []
  for (let at = 0; at < values.length; at += chunk_size) {
    const numbers = changesOf(values.slice(at, at + chunk_size), form)
    const { data } = await request('updateNumbers', { query: { dry_run }, body: { mode: 'each', numbers } })
    all.push(...data)
    onResults(data)
  }
  return all
}
