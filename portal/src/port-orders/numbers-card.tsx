import { useState } from 'react'
import { Button, Card, Copyable, Link, PhoneNumber, Soft, Stack } from '../ui/index.ts'
import css from './order.module.css'
import { numbersText, type PortOrder } from './words.ts'

/** Numbers shown initially. */
const first_count = 12

/** The order's numbers, linked to their pages once ported. */
export function NumbersCard({ order }: { order: PortOrder }) {
  const { numbers, status } = order.attributes
  const [all, setAll] = useState(false)
  const shown = all ? numbers : numbers.slice(0, first_count)
  return (
    <Card
      title={numbersText(numbers.length)}
      aside={
        <Copyable text={numbers.join('\n')} label="the numbers">
          <Soft>E.164</Soft>
        </Copyable>
      }
    >
      <Stack gap="narrow">
        <ul className={css.numbers}>
          {shown.map((value) => (
            <li key={value}>
              {status === 'Completed' ? (
                <Link to="/numbers/$number" params={{ number: value.slice(1) }}>
                  <PhoneNumber value={value} />
                </Link>
              ) : (
                <PhoneNumber value={value} />
              )}
            </li>
          ))}
        </ul>
        {numbers.length > shown.length && (
          <div>
            <Button size="small" onPress={() => setAll(true)}>
              Show all {numbers.length.toLocaleString('en-US')}
            </Button>
          </div>
        )}
      </Stack>
    </Card>
  )
}
