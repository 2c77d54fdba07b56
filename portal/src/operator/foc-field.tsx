import { addBusinessDays, type Calendar, isDate } from '@demarc/client/rules'
import { useToday } from '../clock.ts'
import { onArrows, Stack, TextField } from '../ui/index.ts'
import css from './operator.module.css'
import { dayText, type FocDay, weeksFrom } from './foc-days.ts'

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

interface FocFieldProps {
  value: string
  onChange(value: string): void
  calendar: Calendar
  error: string | null
}

/** A FOC date field: typed, stepped by business day with the arrow keys, or picked from the next weeks. */
export function FocField({ value, onChange, calendar, error }: FocFieldProps) {
  const today = useToday()
  const assessment = dayText(value, today, calendar)
  const step = (count: number) => onChange(addBusinessDays(isDate(value) ? value : today, count, calendar))
  return (
    <Stack gap="narrow">
      <TextField
        label="FOC date"
        value={value}
        onChange={onChange}
        autoFocus
        inputMode="numeric"
        onKeyDown={onArrows(step)}
        hint={
          <span role="status">
            {assessment?.text ?? 'Enter a date such as 2026-11-30.'} Use the arrow keys to step by business day.
          </span>
        }
        error={assessment?.good === false ? assessment.text : error}
      />
      <table className={css.days} aria-label="Next weeks">
        <thead>
          <tr>
            {weekdays.map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksFrom(today, calendar).map((week) => (
            <tr key={week[0]?.date}>
              {week.map((day) => (
                <td key={day.date}>
                  <DayButton day={day} chosen={day.date === value} onChoose={onChange} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Stack>
  )
}

interface DayButtonProps {
  day: FocDay
  chosen: boolean
  onChoose(date: string): void
}

/** One day; a day off shows its reason as a tooltip and is not focusable. */
function DayButton({ day: { date, disabledReason }, chosen, onChoose }: DayButtonProps) {
  const number = Number(date.slice(8))
  if (disabledReason !== null)
    return (
      <span className={css.dayOff} title={disabledReason}>
        {number}
      </span>
    )
  return (
    <button
      type="button"
      // the field's arrow keys do the same
      tabIndex={-1}
      className={css.day}
      aria-label={date}
      aria-pressed={chosen}
      onClick={() => onChoose(date)}
    >
      {number}
    </button>
  )
}
