import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { q, useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Stack } from '../ui/panels.tsx'
import { Secret } from '../ui/secret.tsx'
import { Soft } from '../ui/soft.tsx'
import { Time } from '../ui/values.tsx'

/** What one verifies notifications with. */
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
          Replace it
        </Button>
      }
    >
      <Stack gap="narrow">
        <Soft as="p">
          Every notification is signed with it, as Standard Webhooks say. Verify the raw body before you read it;{' '}
          <code>verifyWebhook</code> of the client does.
        </Soft>
        {disabledReason === null ? (
          <Loaded query={secret}>
            {({ data: { attributes } }) => (
              <>
                <Secret text={attributes.secret} label="the signing secret" />
                {attributes.previous_valid_until !== null && (
                  <Soft as="p">
                    The one before signs as well until <Time at={attributes.previous_valid_until} />.
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
          verb="Replace it"
          {...rotate}
          onDo={() => rotate.mutate({}, { onSuccess: () => setOpened(false) })}
          onClose={() => setOpened(false)}
        >
          For 24 hours notifications carry two signatures. By then your receivers must have the new secret.
        </ConsequenceDialog>
      )}
    </Card>
  )
}
