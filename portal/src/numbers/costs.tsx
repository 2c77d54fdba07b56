import { Money, type Column } from '../ui/index.ts'

interface Priced {
  attributes: { monthly_cost: string; setup_cost: string }
}

/** What a number costs. */
export const costColumns: Column<Priced>[] = [
  { title: 'Monthly', align: 'end', cell: ({ attributes }) => <Money amount={attributes.monthly_cost} /> },
  { title: 'Setup', align: 'end', cell: ({ attributes }) => <Money amount={attributes.setup_cost} /> },
]

/** What several numbers cost together, for `Figures`. */
export const costFigures = ({ monthly_cost, setup_cost }: Priced['attributes']) =>
  [
    ['Monthly', <Money key="monthly" amount={monthly_cost} />],
    ['Setup', <Money key="setup" amount={setup_cost} />],
  ] as const
