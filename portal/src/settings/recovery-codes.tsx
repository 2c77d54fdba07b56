import { useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { Copyable, OnceDialog } from '../ui/index.ts'
import css from './settings.module.css'

/** New recovery codes, shown once. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  return (
    <OnceDialog title="Your recovery codes" verb="I’ve saved them" onClose={onClose}>
      <p>
        Each code works once, in place of your app or passkey. The codes are shown only once and replace all older ones.
        Print them or save them in a password manager.
      </p>
      <ul className={css.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Copyable text={codes.join('\n')} label="all codes">
        Copy all
      </Copyable>
    </OnceDialog>
  )
}

export function RenewCodesDialog({ onClose, onCodes }: { onClose(): void; onCodes(codes: readonly string[]): void }) {
  const renew = useChange('renewRecoveryCodes', ({ data }) => {
    onClose()
    onCodes(data.recovery_codes)
  })
  return (
    <ConsequenceDialog
      title="Create new recovery codes"
      verb="Create new codes"
      keep="Keep the old ones"
      {...renew}
      onDo={() => renew.mutate({})}
      onClose={onClose}
    >
      All older codes stop working.
    </ConsequenceDialog>
  )
}
