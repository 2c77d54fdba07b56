import type { ReactNode } from 'react'
import { Button, Dialog, Stack } from '../ui/index.ts'
import { Refused } from './refused.tsx'

/** Confirms a destructive action and states its consequence. */
export function ConsequenceDialog({
  title,
  verb,
  keep = 'Keep',
  isPending,
  error,
  onDo,
  onClose,
  children,
}: {
  title: string
  /** The label of the confirm button. */
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
