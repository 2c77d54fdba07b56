import type { e911Coverage, e911Levels, ResponseBody } from '@demarc/client'
import { e911Path } from '../e911/index.ts'
import { LEVELS } from '../engines/addresses/index.ts'
import { activeDatasets } from '../engines/street-data/index.ts'
import type { Context } from '../platform/context.ts'
import { link } from '../platform/http/binding.ts'
import { type Page, paged } from '../platform/http/pages.ts'
import { timeText } from '../platform/clock.ts'
import { type CoverageRow, countGaps, listGaps } from './coverage-store.ts'
import { numberLink } from './document.ts'

/** E911 coverage of an account as responses show it. */

type Document = ResponseBody<typeof e911Coverage.listE911Coverage>
type Level = (typeof e911Levels)[number]

/** One page of gaps, and the counts of all gaps. `min_level` is the level that the service requires. */
export async function coverageDocument(
  { tx, actor }: Pick<Context, 'tx' | 'actor'>,
  deps: { public_url: string },
  min_level: Level | 'auto',
  { self, page, gap }: { self: string; page: Page; gap: e911Coverage.E911Gap | undefined },
): Promise<Document> {
  const level_required = min_level === 'auto' ? 'street' : min_level
  const levels_below = LEVELS.slice(0, LEVELS.indexOf(level_required))
  const facts = { levels_below, active: await activeDatasets(tx) }
  const rows = await listGaps(tx, actor, facts, gap, page.fetch)
  const counts = await countGaps(tx, actor, facts)
  return {
    ...paged(
      self,
      page,
      rows.map((row) => entry(deps, row)),
    ),
    meta: { ...counts, level_required },
  }
}

function entry(deps: { public_url: string }, row: CoverageRow): Document['data'][number] {
  const { gap, id, alias, level, validated_at } = row
  if (level === null || validated_at === null)
    return { type: 'number', id, attributes: { gap, value: id, alias }, links: { self: numberLink(deps, id) } }
  const { label, street_number, street_name, city, state } = row
  return {
    type: 'e911',
    id,
    attributes: {
      gap,
      label: label ?? '',
      street_number: street_number ?? '',
      street_name: street_name ?? '',
      city: city ?? '',
      state: state ?? '',
      level,
      validated_at: timeText(validated_at),
    },
    links: { self: link(deps, e911Path(id)) },
  }
}
