import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { Link, PageHead, Stack } from '../ui/index.ts'
import { shellQuoted } from '../ui/text.ts'
import { filtersOf, type Cart } from './cart.ts'
import { OrderedNumbers } from './get-result.tsx'
import { SearchForSale } from './get-search.tsx'
import { SetUp } from './get-setup.tsx'

/** Which new numbers can I have, and what do they cost? */
export function GetNumbersPage() {
  const search = useSearch({ from: '/signed-in/numbers/get' })
  const change = useChangeSearch('/numbers/get')
  const [cart, setCart] = useState<Cart>(new Map())
  const { order, step } = search
  const query = filtersOf(search)
  return (
    <Stack>
      <PageHead
        before={<Link to="/numbers">Numbers</Link>}
        title="Get numbers"
        facts="Search the numbers for sale, and order them with their settings. They work as soon as the order is done."
        verb={<ShowAsApiCall operation="listAvailableNumbers" input={{ query }} command={commandOf(query)} />}
      />
      {order !== undefined ? (
        <OrderedNumbers id={order} />
      ) : step === 'setup' && cart.size > 0 ? (
        <SetUp
          cart={cart}
          onBack={() => change({ step: undefined })}
          onOrdered={(id) => {
            setCart(new Map())
            change({ step: undefined, order: id })
          }}
        />
      ) : (
        <SearchForSale
          search={search}
          change={change}
          cart={cart}
          onSelect={setCart}
          onSetUp={() => change({ step: 'setup' })}
        />
      )}
    </Stack>
  )
}

const commandOf = (query: ReturnType<typeof filtersOf>) =>
  [
    'demarc numbers search',
    ...Object.entries(query).map(([name, value]) => `--${name.replaceAll('_', '-')} ${shellQuoted(String(value))}`),
  ].join(' ')
