/** Values as people read them. */

/** A telephone number as people read it: `(206) 555-0100`. Others than those of North America stay as they are. */
export function phoneText(value: string): string {
  const [, area, office, line] = /^\+?1(\d{3})(\d{3})(\d{4})$/.exec(value) ?? []
  return area === undefined ? value : `(${area}) ${office}-${line}`
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/

/** At least two places, and separators. */
export function dollars(amount: string): string {
  const [, sign = '', whole = amount, fraction = ''] = decimal.exec(amount) ?? []
  return `${sign}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

/** Half a cent is rounded away from zero, as bills are. */
export function toCents(amount: string): string {
  const [, sign = '', whole = '0', fraction = ''] = decimal.exec(amount) ?? []
  const mills = BigInt(whole + fraction.padEnd(3, '0').slice(0, 3))
  const cents = ((mills + 5n) / 10n).toString().padStart(3, '0')
  return `${sign}${cents.slice(0, -2)}.${cents.slice(-2)}`
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long something took or takes, in its largest whole unit: `12 minutes`. */
export function durationText(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? []
  if (unit === undefined) return 'less than a minute'
  const count = Math.floor(seconds / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** `SEATTLE` as `Seattle`: rate centers are in capitals in the tables of the trade. */
export const titleCase = (text: string): string =>
  text.toLowerCase().replace(/(^|[\s-])\p{Ll}/gu, (first) => first.toUpperCase())
