import { useState } from 'react'
import { commandWith } from '../shell/api-call.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Page } from '../shell/page.tsx'
import { Link } from '../ui/index.ts'
import { filtersOf, type Cart } from './cart.ts'
import { OrderedNumbers } from './get-result.tsx'
import { SearchForSale } from './get-search.tsx'
import { SetUp } from './get-setup.tsx'

/** Which new numbers can I have, and what do they cost? */
export function GetNumbersPage() {
  const { search, change } = usePageSearch('/numbers/get')
  const [cart, setCart] = useState<Cart>(new Map())
  const { order, step } = search
  const query = filtersOf(search)
  if (order !== undefined) return <OrderedNumbers id={order} />
  return (
    <Page
      before={<Link to="/numbers">Numbers</Link>}
      title="Get numbers"
      facts="Search the numbers for sale, and order them with their settings. They work as soon as the order is done."
      call={{
        operation: 'listAvailableNumbers',
        input: { query },
        command: commandWith('demarc numbers search', query),
      }}
    >
      {step === 'setup' && cart.size > 0 ? (
        <SetUp
          cart={cart}
          onBack={() => change({ step: undefined })}
          onOrdered={(id) => {
            setCart(new Map())
            change({ step: undefined, order: id })
          }}
        />
      ) : (
        <SearchForSale cart={cart} onSelect={setCart} onSetUp={() => change({ step: 'setup' })} />
      )}
    </Page>
  )
}
