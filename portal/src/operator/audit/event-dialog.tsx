import { Button, type Column, Copyable, Count, Dialog, Facts, Row, Soft, Stack, Table, Time } from '../../ui/index.ts'
import css from '../operator.module.css'
import type { AuditSearch } from '../search.ts'
import { Who, AccountOf, type AuditEvent } from './events-table.tsx'
import { eventText, factsOf, subjectText } from './words.ts'

interface EventDialogProps {
  event: AuditEvent
  onClose(): void
  onFilter(search: AuditSearch): void
}

/** One audit entry with its changes and links to related entries. */
export function EventDialog({ event: { attributes }, onClose, onFilter }: EventDialogProps) {
  const { account_id, actor, event_type, hash, occurred_at, sequence, subject_id, subject_type } = attributes
  return (
    <Dialog title={eventText(event_type)} isOpen onClose={onClose} wide>
      <Stack gap="narrow">
        <Facts
          facts={[
            ['When', <Time key="when" at={occurred_at} />],
            ['Who', <Who key="who" of={attributes} />],
            ['Account', <AccountOf key="whose" account_id={account_id} />],
            [
              'About',
              <span key="about" className={css.wrap}>
                {subjectText(subject_type)} {subject_id}
              </span>,
            ],
            [
              'Entry',
              <span key="entry">
                <Count of={sequence} /> of its chain
              </span>,
            ],
            [
              'Digest',
              <span key="digest" className={css.wrap}>
                <Copyable text={hash} label="the digest" />
              </span>,
            ],
          ]}
        />
        <Changed data={attributes.data} />
        <Row>
          <Button size="small" onPress={() => onFilter({ subject: subject_type, subject_id })}>
            All entries about this {subjectText(subject_type)}
          </Button>
          <Button size="small" onPress={() => onFilter({ actor })}>
            All entries by this actor
          </Button>
          <Button size="small" onPress={() => onFilter({ what: event_type })}>
            All entries of this type
          </Button>
          <Button size="small" onPress={() => onFilter({ of: account_id ?? '0' })}>
            All entries of this account
          </Button>
        </Row>
      </Stack>
    </Dialog>
  )
}

type Fact = ReturnType<typeof factsOf>[number]

function Changed({ data }: { data: unknown }) {
  const facts = factsOf(data)
  if (facts.length === 0) return <Soft as="p">No further details.</Soft>
  const columns = facts.some(({ before }) => before !== undefined)
    ? [field, was, is]
    : [field, { ...is, title: 'Value' }]
  return <Table label="Changes" columns={columns} rows={facts} keyOf={({ name }) => name} />
}

const field: Column<Fact> = { title: 'Field', head: true, cell: ({ name }) => <code>{name}</code> }
const was: Column<Fact> = {
  title: 'Before',
  cell: ({ before = '' }) => <span className={css.wrap}>{before}</span>,
}
const is: Column<Fact> = { title: 'After', cell: ({ now }) => <span className={css.wrap}>{now}</span> }
