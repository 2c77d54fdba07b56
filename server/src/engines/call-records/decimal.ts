/** Decimal strings as exact integers of 10^-places. Money never becomes a binary float. */

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** Rounds `text` down to a multiple of 10^-places, in those units. Throws RangeError for anything but a plain decimal. */
export function floorUnits(text: string, places: number): bigint {
  const [units, exact] = split(text, places)
  return exact || !text.startsWith('-') ? units : units - 1n
}

/** Rounds `text` up to a multiple of 10^-places, in those units. */
export function ceilUnits(text: string, places: number): bigint {
  const [units, exact] = split(text, places)
  return exact || text.startsWith('-') ? units : units + 1n
}

/** `units` of 10^-places as a decimal string, without trailing zeros. */
export function formatUnits(units: bigint, places: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  const integer = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return sign + integer + (fraction === '' ? '' : `.${fraction}`)
}

/** Units truncated toward zero, and whether that was exact. */
function split(text: string, places: number): [bigint, boolean] {
  const match = DECIMAL.exec(text)
  if (match === null) throw new RangeError(`${JSON.stringify(text)} is not a plain decimal`)
  const [, sign = '', integer = '', fraction = ''] = match
  const kept = fraction.slice(0, places).padEnd(places, '0')
  const units = BigInt(integer + kept)
  return [sign === '-' ? -units : units, /^0*$/.test(fraction.slice(places))]
}
