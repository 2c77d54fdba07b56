import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { queries, refusalOf } from '../api.ts'
import { Button, Dialog, Problem, Stack } from '../ui/index.ts'
import { ChangeReport } from './change-report.tsx'
import type { Change, ChangeResult, ReportedResult } from './changes.ts'
import { sendChanges } from './send.ts'

interface ChangeFlowProps {
  title: string
  changes: readonly Change[]
  /** The file line of each change. */
  lines?: readonly number[] | undefined
  /** Rejected before sending; shown with the results. */
  refused?: readonly ReportedResult[]
  /** Why there is no preview yet. */
  disabledReason: string | null
  onClose(): void
  /** The form that describes the change. */
  children: ReactNode
}

/** Changes numbers in three steps: describe the change, preview it for each number, see the results. */
export function ChangeFlow({
  title,
  changes,
  lines,
  refused = [],
  disabledReason,
  onClose,
  children,
}: ChangeFlowProps) {
  const readOnly = useReadOnlyReason()
  const { preview, apply, seen, done, stop } = useSteps(changes)
  const step = apply.isIdle ? (preview.isSuccess ? 'preview' : 'form') : 'result'
  const error = preview.error ?? apply.error
  const total = changes.length + refused.length
  const report = (results: readonly ChangeResult[]) => [
    ...refused,
    ...results.map((result, i): ReportedResult => ({ ...result, ...(lines && { line: lines[i] }) })),
  ]
  const close = () => {
    stop()
    onClose()
  }
  return (
    <Dialog
      title={title}
      isOpen
      onClose={close}
      wide={step !== 'form'}
      dismissable={!apply.isPending}
      verbs={
        <FlowVerbs
          step={step}
          willChange={preview.data?.filter(({ outcome }) => outcome === 'changed').length ?? 0}
          rest={changes.length - done.length}
          isPending={preview.isPending || apply.isPending}
          disabledReason={readOnly ?? disabledReason}
          onShow={() => preview.mutate()}
          onBack={() => preview.reset()}
          onApply={() => apply.mutate()}
          onStop={stop}
          onClose={close}
        />
      }
    >
      <Stack>
        {error !== null && <Problem refusal={refusalOf(error)} />}
        {step === 'form' && children}
        {preview.isPending && (
          <progress value={seen} max={changes.length} aria-label={`${seen} of ${changes.length} checked`} />
        )}
        {step === 'preview' && <ChangeReport results={report(preview.data ?? [])} total={total} tense="future" />}
        {step === 'result' && <ChangeReport results={report(done)} total={total} tense="past" />}
      </Stack>
    </Dialog>
  )
}

/** Runs the checks and the changes in batches. A stopped or failed run resumes where it left off. */
function useSteps(changes: readonly Change[]) {
  const [seen, setSeen] = useState(0)
  const [done, setDone] = useState<readonly ChangeResult[]>([])
  const stopping = useRef(new AbortController())
  const begin = () => {
    stopping.current = new AbortController()
    return stopping.current.signal
  }
  const preview = useMutation({
    mutationFn: () => {
      setSeen(0)
      return sendChanges(changes, true, begin(), (results) => setSeen((before) => before + results.length))
    },
  })
  const apply = useMutation({
    mutationFn: () =>
      sendChanges(changes.slice(done.length), false, begin(), (results) =>
        setDone((before) => [...before, ...results]),
      ),
    onSettled: () => queries.invalidateQueries(),
  })
  return { preview, apply, seen, done, stop: () => stopping.current.abort() }
}

function FlowVerbs({
  step,
  willChange,
  rest,
  isPending,
  disabledReason,
  onShow,
  onBack,
  onApply,
  onStop,
  onClose,
}: {
  step: 'form' | 'preview' | 'result'
  willChange: number
  /** Not sent yet. */
  rest: number
  isPending: boolean
  disabledReason: string | null
  onShow(): void
  onBack(): void
  onApply(): void
  onStop(): void
  onClose(): void
}) {
  if (step === 'form')
    return (
      <Button kind="primary" isPending={isPending} disabledReason={disabledReason} onPress={onShow}>
        Preview changes
      </Button>
    )
  if (step === 'preview')
    return (
      <>
        <Button onPress={onBack}>Back</Button>
        <Button kind="primary" disabledReason={willChange === 0 ? 'No number would change.' : null} onPress={onApply}>
          Change {willChange === 1 ? 'it' : `${willChange.toLocaleString('en-US')} numbers`}
        </Button>
      </>
    )
  if (isPending) return <Button onPress={onStop}>Stop</Button>
  return (
    <>
      {rest > 0 && (
        <Button kind="primary" onPress={onApply}>
          Continue with {rest === 1 ? 'the last one' : `the other ${rest.toLocaleString('en-US')}`}
        </Button>
      )}
      <Button kind={rest > 0 ? 'secondary' : 'primary'} onPress={onClose}>
        Done
      </Button>
    </>
  )
}
