import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { q, useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Card, SkeletonLike, Stack, Soft } from '../ui/panels.tsx'
import { Secret } from '../ui/copyable.tsx'
import { Time } from '../ui/values.tsx'

const secretSkeleton = (
  <SkeletonLike>
    <Secret text={`whsec_${'0'.repeat(44)}`} label="the signing secret" />
  </SkeletonLike>
)

/** The secret that verifies notifications. */
export function SigningSecret() {
  const disabledReason = useReadOnlyReason()
  const secret = useQuery({ ...q('getSigningSecret'), enabled: disabledReason === null })
  const rotate = useChange('rotateSigningSecret')
  const [opened, setOpened] = useState(false)
  return (
    <Card
      title="Signing secret"
      aside={
        <Button size="small" disabledReason={disabledReason} onPress={() => setOpened(true)}>
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
      {opened && (
        <ConsequenceDialog
          title="Replace the signing secret"
          verb="Replace"
          {...rotate}
          onDo={() => rotate.mutate({}, { onSuccess: () => setOpened(false) })}
          onClose={() => setOpened(false)}
        >
          For 24 hours, notifications carry signatures made with both secrets. Give your endpoints the new secret within
          that time.
        </ConsequenceDialog>
      )}
    </Card>
  )
}
