import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useReadOnlyReason } from '../account.ts'
import { queries, request, seenAccount } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { toastRefusal, useDialog } from '../shell/change-buttons.tsx'
import { Button, Skeleton, Stack, Time, toast } from '../ui/index.ts'
import { phoneText } from '../ui/text.ts'

/** Releases a number after listing what the release removes. */
export function ReleaseNumber({ value, disabledReason }: { value: string; disabledReason: string | null }) {
  const [dialog, open] = useDialog()
  return (
    <>
      <Button
        disabledReason={useReadOnlyReason() ?? disabledReason}
        onPress={() => open((close) => <ReleaseDialog value={value} onClose={close} />)}
      >
        Release
      </Button>
      {dialog}
    </>
  )
}

function ReleaseDialog({ value, onClose }: { value: string; onClose(): void }) {
  const navigate = useNavigate()
  const params = { number: value }
  // a dry run changes nothing, so it is used as a query
  const plan = useQuery({
    queryKey: ['releaseNumber', seenAccount(), value],
    gcTime: 0,
    queryFn: async ({ signal }) =>
      (await request('releaseNumber', { params, query: { dry_run: true } }, signal))?.data.attributes ?? null,
  })
  const release = useMutation({
    mutationFn: () => request('releaseNumber', { params }),
    onSuccess: async () => {
      // the number's page would read a number that is gone
      await navigate({ to: '/numbers' })
      await queries.invalidateQueries()
      const can_restore = plan.data?.returns_to === 'inventory'
      toast(`${phoneText(value)} released.`, {
        kind: 'done',
        ...(can_restore && { verb: { label: 'Restore', onAction: () => void restore(value) } }),
      })
    },
  })
  return (
    <ConsequenceDialog
      title={`Release ${phoneText(value)}?`}
      verb="Release the number"
      {...release}
      // nobody releases a number before its consequences are shown
      isPending={plan.isPending || release.isPending}
      onDo={() => plan.isSuccess && release.mutate()}
      onClose={onClose}
    >
      <Loaded query={plan} skeleton={<Skeleton rows={3} />}>
        {(attributes) =>
          attributes !== null && (
            <Stack gap="narrow">
              <p>The number leaves your account.</p>
              {attributes.warnings.map((text) => (
                <p key={text}>{text}</p>
              ))}
              {attributes.aging_until === null ? (
                <p>It returns to the carrier that its block is assigned to, and can’t be restored.</p>
              ) : (
                <p>
                  Until <Time at={attributes.aging_until} date /> you can restore it, without these settings. Then it is
                  for sale again.
                </p>
              )}
            </Stack>
          )
        }
      </Loaded>
    </ConsequenceDialog>
  )
}

/** Restores a number that was just released. */
async function restore(value: string): Promise<void> {
  try {
    await request('restoreNumber', { params: { number: value } })
    toast(`${phoneText(value)} restored, with the default route.`, { kind: 'done' })
    await queries.invalidateQueries()
  } catch (error) {
    toastRefusal(error)
  }
}
