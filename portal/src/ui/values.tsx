import { createContext, use } from 'react'
import { dollars, phoneText, toCents } from './text.ts'
import css from './values.module.css'

/** The reader's time zone: their choice, otherwise the browser's. */
export const TimeZone = createContext(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** A phone number; E.164 in the tooltip and when copied. */
export function PhoneNumber({ value }: { value: string }) {
  const e164 = value.startsWith('+') ? value : `+${value}`
  return (
    <span
      className={css.number}
      title={e164}
      onCopy={(event) => {
        // a partial selection is copied unchanged
        if (document.getSelection()?.toString().trim() !== phoneText(value)) return
        event.clipboardData.setData('text/plain', e164)
        event.preventDefault()
      }}
    >
      {phoneText(value)}
    </span>
  )
}

/** A time in the reader's zone, with the zone named; UTC in the tooltip. */
export function Time({ at, date = false }: { at: string; date?: boolean }) {
  const zone = use(TimeZone)
  const moment = new Date(at)
  return (
    <time className={css.time} dateTime={at} title={`${moment.toISOString().replace(/\.\d+Z$/, 'Z')} (UTC)`}>
      {moment.toLocaleString('en-US', {
        timeZone: zone,
        ...(date
          ? { dateStyle: 'medium' }
          : {
              month: 'short',
              day: 'numeric',
              year: 'numeric',
              hour: 'numeric',
              minute: '2-digit',
              timeZoneName: 'short',
            }),
      })}
    </time>
  )
}

/** A calendar day, `2026-11-24`, independent of time zone. */
export function Day({ value, weekday = false }: { value: string; weekday?: boolean }) {
  return (
    <time className={css.time} dateTime={value}>
      {new Date(`${value}T12:00:00Z`).toLocaleDateString('en-US', {
        timeZone: 'UTC',
        year: 'numeric',
        month: 'short',
        day: 'numeric',
        ...(weekday ? { weekday: 'short' } : {}),
      })}
    </time>
  )
}

/** A dollar amount from exact decimal text. `rounded`: to cents, with the exact amount in the tooltip. */
export function Money({ amount, rounded = false }: { amount: string; rounded?: boolean }) {
  const exact = dollars(amount)
  return (
    <span className={css.number} title={rounded ? exact : undefined}>
      {rounded ? dollars(toCents(amount)) : exact}
    </span>
  )
}

/** A count with thousands separators; `100,000+` at the limit where counting stops. */
export function Count({ of, limit = Infinity }: { of: number; limit?: number }) {
  return (
    <span className={css.number}>
      {of.toLocaleString('en-US')}
      {of >= limit && '+'}
    </span>
  )
}

/** A file size. */
export function Bytes({ of }: { of: number }) {
  const [size, unit] = of < 1_000 ? [of, 'bytes'] : of < 1_000_000 ? [of / 1_000, 'kB'] : [of / 1_000_000, 'MB']
  return (
    <span className={css.number} title={`${of.toLocaleString('en-US')} bytes`}>
      {size.toLocaleString('en-US', { maximumFractionDigits: unit === 'MB' ? 1 : 0 })} {unit}
    </span>
  )
}

/** A person's initials as an avatar; decorative, because the name is next to it. */
export const Initials = ({ name, small = false }: { name: string; small?: boolean }) => (
  <span className={`${css.initials} ${small ? css.small : ''}`} aria-hidden="true" data-initials={initialsOf(name)} />
)

const initialsOf = (name: string): string =>
  name
    .split(' ')
    .filter((word) => /^\p{Lu}/u.test(word) && !word.endsWith('.'))
    .map((word) => word[0])
    .join('')
    .slice(0, 2)
