import type { Alternative, CanonicalAddress } from '../address.ts'
import { parseStreet, type Street } from '../normalize/street.ts'
import { edits } from './edits.ts'
import { digitsIn, isSwap } from './names.ts'
import { repairs } from './repairs.ts'

/** With fewer letters, a name with another letter is often another street: Pine, Vine. */
const LETTERS_MIN = 5

/**
 * Whether an alternative has the given number on a street that differs by one error: in a place with little data, where the given
 * street may exist, anything less alike proves nothing.
 */
export function isNearMiss(address: CanonicalAddress, { street_number, street_name, ...place }: Alternative): boolean {
  const [mine, theirs] = [address.street, parseStreet(street_name, place)]
  if (street_number !== address.number.text || digitsIn(mine.base) !== digitsIn(theirs.base)) return false
  if (sameParts(mine, theirs)) return isOneError(mine.base, theirs.base)
  // MAIN STEET: the word with the error was read as part of the name
  return (
    mayLack(mine.type, theirs.type) &&
    mayLack(mine.pre, theirs.pre) &&
    mayLack(mine.post, theirs.post) &&
    repairs(address.street_text, address).some(({ key }) => key === theirs.key)
  )
}

const sameParts = (a: Street, b: Street) => a.type === b.type && a.pre === b.pre && a.post === b.post

const mayLack = (mine: string, theirs: string) => mine === '' || mine === theirs

function isOneError(mine: string, theirs: string): boolean {
  if (mine === theirs || edits(mine, theirs, 1) !== 1) return false
  return Math.max(mine.length, theirs.length) >= LETTERS_MIN || isSwap(mine, theirs)
}
