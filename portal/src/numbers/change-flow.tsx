import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useWhyReadOnly } from '../account.ts'
import { queries, refusalOf } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { ChangeReport } from './change-report.tsx'
import type { Change, ChangeResult, ReportedResult } from './changes.ts'
import { sendChanges } from './send.ts'

interface ChangeFlowProps {
  title: string
  changes: readonly Change[]
  /** For each change, the line of the file that it is from. */
  lines?: readonly number[] | undefined
  /** Found wrong before they were sent: shown with the results. */
  refused?: readonly ReportedResult[]
  /** Why there is nothing to show yet. */
  whyNot: string | null
  onClose(): void
  /** Where the change is described. */
  children: ReactNode
}

/** Changes of numbers in three steps: what to change, what would become of each number, what became of it. */
export function ChangeFlow({ title, changes, lines, refused = [], whyNot, onClose, children }: ChangeFlowProps) {
  const readOnly = useWhyReadOnly()
  const [done, setDone] = useState<readonly ChangeResult[]>([])
  const preview = useMutation({ mutationFn: () => sendChanges(changes, true, () => undefined) })
  const apply = useMutation({
    mutationFn: () => sendChanges(changes, false, (results) => setDone((before) => [...before, ...results])),
    onSettled: () => queries.invalidateQueries(),
  })
  const step = apply.isIdle ? (preview.isSuccess ? 'preview' : 'form') : 'result'
  const error = preview.error ?? apply.error
  const total = changes.length + refused.length
  const report = (results: readonly ChangeResult[]) => [
    ...refused,
    ...results.map((result, i): ReportedResult => ({ ...result, ...(lines && { line: lines[i] }) })),
  ]
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      wide={step !== 'form'}
      dismissable={!apply.isPending}
      verbs={
        <FlowVerbs
          step={step}
          willChange={preview.data?.filter(({ outcome }) => outcome === 'changed').length ?? 0}
          isPending={preview.isPending || apply.isPending}
          whyNot={readOnly ?? whyNot}
          onShow={() => preview.mutate()}
          onBack={() => preview.reset()}
          onApply={() => apply.mutate()}
          onClose={onClose}
        />
      }
    >
      <Stack>
        {error !== null && <Problem refusal={refusalOf(error)} />}
        {step === 'form' && children}
        {step === 'preview' && <ChangeReport results={report(preview.data ?? [])} total={total} tense="future" />}
        {step === 'result' && <ChangeReport results={report(done)} total={total} tense="past" />}
      </Stack>
    </Dialog>
  )
}

function FlowVerbs({
  step,
  willChange,
  isPending,
  whyNot,
  onShow,
  onBack,
  onApply,
  onClose,
}: {
  step: 'form' | 'preview' | 'result'
  willChange: number
  isPending: boolean
  whyNot: string | null
  onShow(): void
  onBack(): void
  onApply(): void
  onClose(): void
}) {
  if (step === 'form')
    return (
      <Button kind="primary" isPending={isPending} whyNot={whyNot} onPress={onShow}>
        Show what changes
      </Button>
    )
  if (step === 'preview')
    return (
      <>
        <Button onPress={onBack}>Back</Button>
        <Button kind="primary" whyNot={willChange === 0 ? 'None of them would change.' : null} onPress={onApply}>
          Change {willChange === 1 ? 'it' : `${willChange} numbers`}
        </Button>
      </>
    )
  return (
    <Button kind="primary" isPending={isPending} onPress={onClose}>
      Done
    </Button>
  )
}
