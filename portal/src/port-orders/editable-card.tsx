import { useState, type ReactNode } from 'react'
import { editAllowed } from '@demarc/client/rules'
import { useReadOnlyReason } from '../account.ts'
import { Button, Card } from '../ui/index.ts'
import type { PortOrder } from './words.ts'

interface EditableCardProps {
  title: string
  order: PortOrder
  /** What is edited, which the order's status allows or not. */
  part: Parameters<typeof editAllowed>[0]
  children(editing: boolean): ReactNode
}

/** A part of the order with a button that changes it. */
export function EditableCard({ title, order, part, children }: EditableCardProps) {
  const [editing, setEditing] = useState(false)
  const readOnly = useReadOnlyReason()
  const allowed = editAllowed(part, order.attributes.status)
  const disabledReason = readOnly ?? (allowed.ok ? null : allowed.reason)
  const editable = editing && disabledReason === null
  return (
    <Card
      title={title}
      aside={
        <Button size="small" disabledReason={disabledReason} onPress={() => setEditing(!editable)}>
          {editable ? 'Done' : 'Change'}
        </Button>
      }
    >
      {children(editable)}
    </Card>
  )
}
