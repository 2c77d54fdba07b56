/** Formats values for display. */

/** Formats a North American number as `(206) 555-0100`; returns others unchanged. */
export function phoneText(value: string): string {
  const [, area, office, line] = /^\+?1(\d{3})(\d{3})(\d{4})$/.exec(value) ?? []
  return area === undefined ? value : `(${area}) ${office}-${line}`
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/

/** At least two places, and separators. */
export function dollars(amount: string): string {
  const [, sign = '', integer = amount, fraction = ''] = decimal.exec(amount) ?? []
  return `${sign}$${integer.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

/** Without the zeros after two places, for a field: `1.25` for `1.2500`. */
export const shortDecimal = (amount: string): string => amount.replace(/(\.\d{2}\d*?)0+$/, '$1')

/** Rounds half a cent away from zero, as bills do. */
export function toCents(amount: string): string {
  const [, sign = '', integer = '0', fraction = ''] = decimal.exec(amount) ?? []
  const mills = BigInt(integer + fraction.padEnd(3, '0').slice(0, 3))
  const cents = ((mills + 5n) / 10n).toString().padStart(3, '0')
  return `${sign}${cents.slice(0, -2)}.${cents.slice(-2)}`
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** A duration in its largest whole unit: `12 minutes`. */
export function durationText(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? []
  if (unit === undefined) return 'less than a minute'
  return Math.floor(seconds / size).toLocaleString('en-US', { style: 'unit', unit, unitDisplay: 'long' })
}

/** `Seattle` for `SEATTLE`: industry tables write rate centers in capitals. */
export const titleCase = (text: string): string =>
  text.toLowerCase().replace(/(^|[\s-])\p{Ll}/gu, (first) => first.toUpperCase())

/** Quotes text as one POSIX shell word. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
