import { useEffect, useRef, type ReactNode } from 'react'
import { useRead } from '../api.ts'
import { Button, LinkButton, PrimaryLink, Row, StageStrip, Stack } from '../ui/index.ts'
import { Documents } from './documents.tsx'
import css from './form.module.css'
import { PresetsPreview } from './presets-preview.tsx'
import { PresetsForm } from './presets.tsx'
import { meaningOf, numbersText, stageOf, stages, type PortOrder } from './words.ts'

interface StepPanelProps {
  title: string
  words: ReactNode
  children: ReactNode
  verbs?: ReactNode
  /** Uses the full page width. */
  wide?: boolean
}

/** One step of the order form; takes the focus when it opens. */
export function StepPanel({ title, words, children, verbs, wide = false }: StepPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={wide ? undefined : css.step}>
      <Stack>
        <header>
          <h2 ref={heading} tabIndex={-1} className={css.stepTitle}>
            {title}
          </h2>
          <p className={css.stepWords}>{words}</p>
        </header>
        {children}
        {verbs !== undefined && <Row>{verbs}</Row>}
      </Stack>
    </div>
  )
}

interface StepProps {
  order: PortOrder
  onDone(): void
}

export function DocumentsStep({ order, onDone }: StepProps) {
  const none = order.attributes.business_documents.length === 0
  return (
    <StepPanel
      title="The latest bill"
      words="Most carriers reject orders without a bill. Only we and the carrier can see it."
      verbs={
        <Button kind={none ? 'secondary' : 'primary'} onPress={onDone}>
          {none ? 'Continue without a bill' : 'Continue'}
        </Button>
      }
    >
      <Documents order={order} />
    </StepPanel>
  )
}

export function PresetsStep({ order, onDone }: StepProps) {
  return (
    <StepPanel
      title="How should the numbers be set up?"
      words="These settings are applied to every number when it arrives. You can change them until then."
      verbs={
        <Button kind="primary" onPress={onDone}>
          Continue
        </Button>
      }
    >
      <PresetsForm order={order} />
      <PresetsPreview id={order.id} />
    </StepPanel>
  )
}

/** After signing: what happens next, and other orders of the request that still need a signature. */
export function DoneStep({ order }: { order: PortOrder }) {
  const { status, next, group_id, numbers_count, provider } = order.attributes
  const group = useRead('getPortOrderGroup', { params: { group_id } })
  const unsigned = group.data?.data.attributes.orders.find((each) => each.status === 'Pending')
  const at = stageOf[status]
  return (
    <StepPanel
      title={`${numbersText(numbers_count)} on the way`}
      words={`${next.what} Keep your service with ${provider} until the numbers have been ported.`}
      verbs={
        <>
          {unsigned !== undefined && (
            <PrimaryLink to="/port-orders/new" search={{ order: unsigned.id }}>
              Continue with the {numbersText(unsigned.numbers_count)} from {unsigned.provider}
            </PrimaryLink>
          )}
          <LinkButton to="/port-orders/$order" params={{ order: order.id }}>
            Follow this order
          </LinkButton>
        </>
      }
    >
      {at !== null && <StageStrip label="Progress" stages={stages} at={at} meaning={meaningOf(status)} />}
    </StepPanel>
  )
}
