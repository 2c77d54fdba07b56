import { Upload } from 'lucide-react'
import { DialogButton } from '../shell/change-buttons.tsx'
import { Page } from '../shell/page.tsx'
import { TabPages, useTabPage } from '../ui/index.ts'
import { Blocks } from './blocks.tsx'
import { LoadDialog } from './load-dialog.tsx'
import { InventoryNumbers } from './numbers.tsx'
import { NumberOrders } from './orders.tsx'
import { Prices } from './prices.tsx'
import { Stock } from './stock.tsx'

const tabs = [
  {
    to: '/operator/inventory',
    title: 'Stock',
    facts: 'What you can sell in each rate center, fewest available numbers first.',
    operation: 'listInventoryStock',
    command: 'demarc inventory stock',
    content: <Stock />,
  },
  {
    to: '/operator/inventory/numbers',
    title: 'Numbers',
    facts: 'Each number with its status. Hold or recall numbers that no account has, or put them on sale again.',
    operation: 'listInventory',
    command: 'demarc inventory list',
    content: <InventoryNumbers />,
  },
  {
    to: '/operator/inventory/blocks',
    title: 'Utilization',
    facts: 'Long codes by thousands-block, in the categories of the NRUF report (47 CFR 52.15(f)).',
    operation: 'listInventoryUtilization',
    command: 'demarc inventory utilization',
    content: <Blocks />,
  },
  {
    to: '/operator/inventory/prices',
    title: 'Prices',
    facts: 'Price classes. A class sets the price of all its numbers, and accounts can have their own prices.',
    operation: 'listPriceClasses',
    command: 'demarc price-class list',
    content: <Prices />,
  },
  {
    to: '/operator/inventory/orders',
    title: 'Orders',
    facts: 'Number orders of all accounts, newest first.',
    operation: 'listNumberOrdersAsOperator',
    command: 'demarc number-order queue',
    content: <NumberOrders />,
  },
] as const

/** What can I sell, and where do I run short? */
export function InventoryPage() {
  const { facts, operation, command } = useTabPage(tabs)
  return (
    <Page
      title="Inventory"
      facts={facts}
      call={{ operation, command }}
      verb={
        <DialogButton kind="primary" dialog={(close) => <LoadDialog onClose={close} />}>
          <Upload aria-hidden="true" />
          Load numbers
        </DialogButton>
      }
    >
      <TabPages label="Inventory" tabs={tabs} />
    </Page>
  )
}
