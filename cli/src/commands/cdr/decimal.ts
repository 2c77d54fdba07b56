/** Amounts as whole units of 10^-8 dollars: money never becomes a binary float. */

export const places = 8

/** The units of a decimal text; null when it is none, or has more places. An empty text is 0. */
export function unitsOf(text: string): bigint | null {
  if (text === '') return 0n
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d{1,30})(?:\.(\d*))?$/.exec(text) ?? []
  const kept = fraction.replace(/0+$/, '')
  if (whole === '' || kept.length > places) return null
  const units = BigInt(whole + kept.padEnd(places, '0'))
  return sign === '-' ? -units : units
}

/** Units as decimal text, without zeros at its end. */
export function textOfUnits(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}${fraction === '' ? '' : `.${fraction}`}`
}
