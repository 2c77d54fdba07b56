import type pg from 'pg'
import { typeAbbreviation } from '../../addresses/index.ts'
import { resolveStreet } from './resolve.ts'
import { learnSuffixes, type LearnedSuffix, type Suffixless } from './suffixes.ts'
import { renameStaged, stagedWithoutSuffix, stagedWithSuffix, type StagedStreet } from './suffix-store.ts'

/** Replaces the dataset's own spellings of suffixes in the staged streets with the usual ones. Returns the replacements. */
export async function replaceSuffixes(
  client: pg.ClientBase,
  id: number,
  buckets: readonly number[],
): Promise<LearnedSuffix[]> {
  const staged = new Map<number, StagedStreet[]>()
  for (const bucket of buckets) staged.set(bucket, await stagedWithoutSuffix(client, id, bucket))
  const streets = [...staged.values()].flat().map((street) => endOf(street))
  if (streets.length === 0) return []
  const names = [...new Set(streets.map(({ base }) => base))]
  const bases = new Set<string>()
  const types = new Map<string, number>()
  for (const bucket of buckets) {
    const found = await stagedWithSuffix(client, id, bucket, names)
    for (const base of found.bases) bases.add(base)
    for (const one of found.types) types.set(one.type, (types.get(one.type) ?? 0) + one.streets)
  }
  const learned = learnSuffixes(streets, { bases, types })
  for (const [bucket, of_bucket] of staged) {
    const renamed = of_bucket.flatMap((street) => rename(street, learned))
    if (renamed.length > 0) await renameStaged(client, id, bucket, renamed)
  }
  return learned
}

function endOf({ country, key }: StagedStreet): Suffixless {
  const base = key.slice(0, key.indexOf('|'))
  const at = base.lastIndexOf(' ')
  return { country, base: base.slice(0, at), word: base.slice(at + 1) }
}

/** Empty if the street doesn't change. */
function rename(street: StagedStreet, learned: readonly LearnedSuffix[]) {
  const { word } = endOf(street)
  const suffix = learned.find(({ country, written }) => country === street.country && written === word)
  if (!suffix) return []
  const usual = typeAbbreviation(suffix.taken_for, street.country)
  // only a direction may follow the word
  const resolved = resolveStreet(street.label.replace(new RegExp(` ${word}(?=( [NSEW]{1,2})?$)`), ` ${usual}`), street)
  return typeof resolved === 'string' ? [] : [{ ...street, new_label: resolved.label, new_key: resolved.key }]
}
