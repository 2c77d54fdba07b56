import { onArrows, RadioGroup, Stack, TextField } from '../ui/index.ts'
import type { Reason } from './catalog.ts'

/** Options that fit without scrolling. */
const shown_max = 4

interface ReasonFieldProps {
  text: string
  onText(text: string): void
  found: readonly Reason[]
  chosen: Reason | null
  onChoose(code: string): void
  error: string | null
}

/** A catalog reason, searched by words or carrier code and chosen with the arrow keys. */
export function ReasonField({ text, onText, found, chosen, onChoose, error }: ReasonFieldProps) {
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
        hint="Search by words or by the carrier’s code. Use the arrow keys to choose."
        error={error}
        onKeyDown={onArrows(step)}
      />
      {shown.length === 0 ? (
        <p role="status">No matching reason. “{text}” will be shown to the customer as entered.</p>
      ) : (
        <RadioGroup
          label={found.length > shown.length ? `First ${shown.length} of ${found.length}` : 'Catalog reasons'}
          value={chosen?.code ?? null}
          onChange={onChoose}
          options={shown.map(({ code, title, cause, codes }) => ({
            value: code,
            label: title,
            hint: codes.length === 0 ? cause : `${cause} (${codes.join(', ')})`,
          }))}
        />
      )}
    </Stack>
  )
}
