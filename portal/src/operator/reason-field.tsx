import { onArrows } from '../ui/arrow-keys.ts'
import { RadioGroup, TextField } from '../ui/field.tsx'
import { Stack } from '../ui/panels.tsx'
import type { Reason } from './catalog.ts'

/** Seen without scrolling. */
const shown_max = 4

/** A reason of the catalog: found by words or by the carrier's code, and chosen by the arrows. */
export function ReasonField({
  text,
  onText,
  found,
  chosen,
  onChoose,
  error,
}: {
  text: string
  onText(text: string): void
  found: readonly Reason[]
  chosen: Reason | null
  onChoose(code: string): void
  error: string | null
}) {
  const shown = found.slice(0, shown_max)
  const step = (by: number) => {
    const next = shown[shown.findIndex(({ code }) => code === chosen?.code) + by]
    if (next !== undefined) onChoose(next.code)
  }
  return (
    <Stack gap="narrow">
      <TextField
        label="Reason"
        value={text}
        onChange={onText}
        autoFocus
        placeholder="pin, account number, 7401, 8A"
        hint="Words, or the code that the carrier sent. The arrows choose."
        error={error}
        onKeyDown={onArrows(step)}
      />
      {shown.length === 0 ? (
        <p role="status">Nothing of the catalog fits. “{text}” is sent as it is, and shown to the holder as it is.</p>
      ) : (
        <RadioGroup
          label={found.length > shown.length ? `The first ${shown.length} of ${found.length}` : 'Of the catalog'}
          value={chosen?.code ?? null}
          onChange={onChoose}
          options={shown.map(({ code, title, cause, carrier_codes }) => ({
            value: code,
            label: title,
            hint: carrier_codes.length === 0 ? cause : `${cause} (${carrier_codes.join(', ')})`,
          }))}
        />
      )}
    </Stack>
  )
}
