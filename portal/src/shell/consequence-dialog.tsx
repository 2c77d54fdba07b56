import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Refused } from './refused.tsx'

/** Asks before something ends, and says what that means. */
export function ConsequenceDialog({
  title,
  verb,
  keep = 'Keep it',
  isPending,
  error,
  onDo,
  onClose,
  children,
}: {
  title: string
  /** What is done: the label of its button. */
  verb: string
  keep?: string
  isPending: boolean
  error: Error | null
  onDo(): void
  onClose(): void
  children: ReactNode
}) {
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      verbs={
        <>
          <Button onPress={onClose}>{keep}</Button>
          <Button kind="danger" isPending={isPending} onPress={onDo}>
            {verb}
          </Button>
        </>
      }
    >
      <Stack gap="narrow">
        <div>{children}</div>
        <Refused error={error} onConfirmed={onDo} />
      </Stack>
    </Dialog>
  )
}
