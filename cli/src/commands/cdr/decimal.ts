/** Amounts as integers of 10^-8 dollars, because money must never become a float. */

export const places = 8

/** The units of a decimal text; null if it isn't one or has more places. An empty text is 0. */
export function unitsOf(text: string): bigint | null {
  if (text === '') return 0n
  const [, sign = '', integer = '', fraction = ''] = /^([+-]?)(\d{1,30})(?:\.(\d*))?$/.exec(text) ?? []
  const kept = fraction.replace(/0+$/, '')
  if (integer === '' || kept.length > places) return null
  const units = BigInt(integer + kept.padEnd(places, '0'))
  return sign === '-' ? -units : units
}

/** Units as decimal text, without trailing zeros. */
export function textOfUnits(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}${fraction === '' ? '' : `.${fraction}`}`
}
