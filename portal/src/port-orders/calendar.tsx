import { CalendarPlus } from 'lucide-react'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useChange } from '../api.ts'
import { Button, Copyable, Dialog, IconButton, Problem, Stack } from '../ui/index.ts'

/** A calendar feed of the completion dates, whose URL is shown once. */
export function CalendarLink() {
  const [open, setOpen] = useState(false)
  const create = useChange('createPortOrderCalendarLink')
  const readOnly = useReadOnlyReason()
  const url = create.data?.data.attributes.url
  const close = () => {
    setOpen(false)
    create.reset()
  }
  return (
    <>
      <IconButton name="Completion dates in your calendar" icon={<CalendarPlus />} onPress={() => setOpen(true)} />
      <Dialog title="Completion dates in your calendar" isOpen={open} onClose={close}>
        <Stack gap="narrow">
          <p>
            Subscribe to this link in your calendar to see completion dates and any changes to them. Anyone with the
            link can see these dates and nothing else.
          </p>
          {url === undefined ? (
            <>
              <p>Creating a new link disables the previous one.</p>
              <div>
                <Button
                  kind="primary"
                  disabledReason={readOnly}
                  isPending={create.isPending}
                  onPress={() => create.mutate({})}
                >
                  Create link
                </Button>
              </div>
            </>
          ) : (
            <>
              <Copyable text={url} label="the link" />
              <p>The link is shown only once. In your calendar, add it as a subscription by URL.</p>
            </>
          )}
          {create.error && <Problem refusal={refusalOf(create.error)} />}
        </Stack>
      </Dialog>
    </>
  )
}
