import { useReadOnlyReason } from '../account.ts'
import { useChange, useRead } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { useDialog } from '../shell/change-buttons.tsx'
import { Button, Card, Secret, SkeletonLike, Soft, Stack, Time } from '../ui/index.ts'

const secretSkeleton = (
  <SkeletonLike>
    <Secret text={`whsec_${'0'.repeat(44)}`} label="the signing secret" />
  </SkeletonLike>
)

/** The secret that verifies notifications. */
export function SigningSecret() {
  const disabledReason = useReadOnlyReason()
  const secret = useRead('getSigningSecret', {}, { enabled: disabledReason === null })
  const [dialog, open] = useDialog()
  return (
    <Card
      title="Signing secret"
      aside={
        <Button
          size="small"
          disabledReason={disabledReason}
          onPress={() => open((close) => <ReplaceDialog onClose={close} />)}
        >
          Replace
        </Button>
      }
    >
      <Stack gap="narrow">
        <Soft as="p">
          Every notification is signed with this secret, following the Standard Webhooks specification. Verify the raw
          body before you parse it; <code>verifyWebhook</code> in the client does this.
        </Soft>
        {disabledReason === null ? (
          <Loaded query={secret} skeleton={secretSkeleton}>
            {({ data: { attributes } }) => (
              <>
                <Secret text={attributes.secret} label="the signing secret" />
                {attributes.previous_valid_until !== null && (
                  <Soft as="p">
                    The previous secret also signs until <Time at={attributes.previous_valid_until} />.
                  </Soft>
                )}
              </>
            )}
          </Loaded>
        ) : (
          <p>{disabledReason}</p>
        )}
      </Stack>
      {dialog}
    </Card>
  )
}

function ReplaceDialog({ onClose }: { onClose(): void }) {
  const rotate = useChange('rotateSigningSecret', onClose)
  return (
    <ConsequenceDialog
      title="Replace the signing secret"
      verb="Replace"
      {...rotate}
      onDo={() => rotate.mutate({})}
      onClose={onClose}
    >
      For 24 hours, notifications carry signatures made with both secrets. Give your endpoints the new secret within
      that time.
    </ConsequenceDialog>
  )
}
