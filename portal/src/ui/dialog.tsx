import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { Button, IconButton } from './button.tsx'
import css from './dialog.module.css'
import { Stack } from './panels.tsx'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose(): void
  children: ReactNode
  /** Buttons; the primary one is last. */
  verbs?: ReactNode
  wide?: boolean
  /** False: only its buttons close it. */
  dismissable?: boolean
}

/** A modal dialog; the page keeps its state. */
export function Dialog({ title, isOpen, onClose, children, verbs, wide = false, dismissable = true }: DialogProps) {
  return (
    <ModalOverlay
      className={css.overlay ?? ''}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      isDismissable={dismissable}
      isKeyboardDismissDisabled={!dismissable}
    >
      <Modal className={`${css.modal} ${wide ? css.wide : ''}`}>
        <AriaDialog className={css.dialog ?? ''}>
          <header className={css.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {dismissable && <IconButton name="Close" icon={<X />} onPress={onClose} />}
          </header>
          <div className={css.body}>{children}</div>
          {verbs !== undefined && <footer className={css.foot}>{verbs}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ResultDialogProps extends Pick<DialogProps, 'title' | 'wide' | 'dismissable' | 'onClose' | 'children'> {
  /** The label of the button. */
  verb?: string
}

/** Shows a result. Its one button closes it. */
export const ResultDialog = ({ verb = 'Done', onClose, children, ...rest }: ResultDialogProps) => (
  <Dialog
    {...rest}
    isOpen
    onClose={onClose}
    verbs={
      <Button kind="primary" onPress={onClose}>
        {verb}
      </Button>
    }
  >
    <Stack gap="narrow">{children}</Stack>
  </Dialog>
)

/** Shows what is never shown again. Only its button closes it. */
export const OnceDialog = (props: ResultDialogProps & { verb: string }) => (
  <ResultDialog {...props} dismissable={false} />
)
