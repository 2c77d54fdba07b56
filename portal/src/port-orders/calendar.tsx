import { CalendarPlus } from 'lucide-react'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf, useChange } from '../api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Copyable } from '../ui/copyable.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'

/** The completion dates in the reader's own calendar, by a URL that is shown once. */
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
            Your calendar subscribes to a link and shows each completion date, also when it is moved. Whoever has the
            link can read these dates, and nothing else.
          </p>
          {url === undefined ? (
            <>
              <p>A link that was made before ends when you make another.</p>
              <div>
                <Button
                  kind="primary"
                  disabledReason={readOnly}
                  isPending={create.isPending}
                  onPress={() => create.mutate({})}
                >
                  Make a link
                </Button>
              </div>
            </>
          ) : (
            <>
              <Copyable text={url} label="the link" />
              <p>It is shown only now. Add it to your calendar as a subscription by URL.</p>
            </>
          )}
          {create.error && <Problem refusal={refusalOf(create.error)} />}
        </Stack>
      </Dialog>
    </>
  )
}
