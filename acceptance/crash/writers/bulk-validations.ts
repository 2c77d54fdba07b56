import type { Findings } from '../findings.ts'
import { one, text, type Json } from '../json.ts'
import { sha256 } from '../records.ts'
import { Model } from '../model.ts'
import { newAccount, newMark, someKey, type WriterKind } from '../world.ts'

const share = 0.2
const rows_max = 20

/** Rows with existing and nonexistent house numbers, alternating. */
const fileOf = (mark: string, rows: number) =>
  `customer,street_number,street_name,city,state,country,zip\n${Array.from(
    { length: rows },
    (_, nth) => `${mark} ${nth},${nth % 2 === 0 ? '100' : '98765'},N Main St,Friendship,WI,US,53934\n`,
  ).join('')}`

interface Row {
  id: string
  given_sha256: string
  status: string
  row_count: number
  verdicts: Record<string, number>
}

export const bulkValidations: WriterKind = {
  name: 'bulk validations',
  operations: ['createE911Validation'],
  async open(world) {
    const { http, random, database } = world
    const { id: account_id, keys: by } = await newAccount(world, 'bulk validations')
    const model = new Model('bulk validation')
    const downloaded = new Set<string>()

    return {
      async step() {
        if (!random.chance(share)) return
        const rows = 1 + random.below(rows_max)
        const body = fileOf(newMark('row'), rows)
        const bytes = { type: 'text/csv', body }
        const outcome = await http.send({ operation: 'createE911Validation', by, bytes, key: someKey(random) })
        const valid = Math.ceil(rows / 2)
        model.created(sha256(body), { status: 'completed', rows, valid, not_geocodable: rows - valid }, outcome)
      },
      // the API doesn't list them
      async count(findings) {
        const found = await database.rows<Row>(
          'select id, given_sha256, status, row_count, verdicts from e911_validation where account_id = $1',
          [account_id],
        )
        model.compare(
          found.map(({ id, given_sha256, status, row_count, verdicts }) => ({
            id,
            mark: given_sha256,
            fields: {
              status,
              rows: row_count,
              valid: verdicts['valid'] ?? 0,
              not_geocodable: verdicts['not_geocodable'] ?? 0,
            },
          })),
          findings,
        )
        for (const { id, row_count } of found.filter((each) => !downloaded.has(each.id))) {
          downloaded.add(id)
          const body = await http.read({ operation: 'getE911Validation', by, params: { validation_id: id } })
          await checkFile(id, one(body).attributes, row_count, findings)
        }
      },
    }
  },
}

/** The file matches its digest and has every row once. */
async function checkFile(id: string, attributes: Json, rows: number, findings: Findings): Promise<void> {
  const response = await fetch(text(attributes['download_url']))
  const file = await response.text()
  findings.expect(sha256(file) === attributes['sha256'], `bulk validation ${id}: another file than its digest says`)
  const names = [...file.matchAll(/^"?row \d+ \d+/gm)].map(([name]) => name)
  const isComplete = names.length === rows && new Set(names).size === rows
  findings.expect(
    isComplete,
    `bulk validation ${id}: ${names.length} rows of ${rows}, ${new Set(names).size} different ones`,
  )
}
