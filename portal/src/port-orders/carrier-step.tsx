import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, queries, refusalOf, request, seenAccount, useChange } from '../api.ts'
import { Button, Problem, Soft, Stack } from '../ui/index.ts'
import { DetailsForm } from './details-form.tsx'
import { useDetails } from './details.ts'
import { dropDraft, useDraft, type Draft } from './draft.ts'
import { fieldLabel, detailNames, isDetail, type DetailName, type Details } from './fields.ts'
import css from './form.module.css'
import { checkOf, fieldOfFinding, type Finding } from './queries.ts'
import { StepPanel } from './steps.tsx'
import { numbersText, type PortOrder } from './words.ts'

const title = 'Who is your current carrier?'
const words =
  'Your current carrier compares these details with its records, character by character. Have your latest bill ready.'

/** The body of a new order; empty fields are omitted. */
const bodyOf = (numbers: readonly string[], details: Details) => ({
  data: {
    type: 'portorder',
    attributes: {
      ...Object.fromEntries(Object.entries(details).filter(([, value]) => value.trim() !== '')),
      numbers: [...numbers],
    } as NewAttributes,
  },
})

/** The API decides whether all required fields are present. */
type NewAttributes = Parameters<typeof request<'createPortOrder'>>[1] extends infer I
  ? I extends { body: { data: { attributes: infer A } } }
    ? A
    : never
  : never

/** A dry run of the order with the current input. */
const dryRun = (numbers: readonly string[], details: Details) =>
  queryOptions({
    queryKey: ['createPortOrder', 'dry run', seenAccount(), numbers, details],
    queryFn: ({ signal }) =>
      request('createPortOrder', { query: { dry_run: true }, body: bodyOf(numbers, details) }, signal),
  })

/** The details before the order is created; each field is checked on blur. */
export function DraftCarrierStep() {
  const [draft, change] = useDraft()
  const { numbers, details } = draft
  const [left, setLeft] = useState<ReadonlySet<DetailName>>(new Set())
  const [checked, setChecked] = useState(details)
  const readOnly = useReadOnlyReason()
  const trial = useQuery({ ...dryRun(numbers, checked), enabled: left.size > 0, placeholderData: keepPreviousData })
  const create = useCreate(draft)
  const error = create.error ?? trial.error
  const errorOf = (name: DetailName) => (create.error !== null || left.has(name) ? fieldError(error, name) : null)
  const rest = create.error === null ? null : refusalOf(create.error)
  const save = () => {
    setLeft(new Set(detailNames))
    create.mutate()
  }
  return (
    <StepPanel
      title={title}
      words={words}
      verbs={
        <Button kind="primary" isPending={create.isPending} disabledReason={readOnly} onPress={save}>
          Save and check the order
        </Button>
      }
    >
      <DetailsForm
        values={details}
        onType={(name, value) => change({ details: { ...details, [name]: value } })}
        onLeave={(name, value) => {
          // refused fields are checked again on blur
          create.reset()
          setLeft((before) => before.union(new Set([name])))
          setChecked({ ...details, [name]: value })
        }}
        errorOf={errorOf}
        findings={[]}
      />
      {trial.data !== undefined && trial.error === null && <Split preview={trial.data} />}
      {rest !== null && (
        <Problem
          refusal={{
            ...rest,
            title: rest.findings.length === 0 ? rest.title : 'The order isn’t saved yet.',
            findings: rest.findings.map((each) => ({ ...each, field: labelOf(each.field) })),
          }}
        />
      )}
    </StepPanel>
  )
}

const labelOf = (field: string | null) => (field === null || !isDetail(field) ? field : fieldLabel(field))

/** Creates the order and continues with the check's findings. */
function useCreate({ numbers, details }: Draft) {
  const navigate = useNavigate()
  const goOn = async (id: string) => {
    const { data } = await queries.fetchQuery(checkOf(id))
    const step = data.attributes.findings.some(isAboutDetails) ? 'carrier' : 'documents'
    await navigate({ to: '/port-orders/new', search: { order: id, step }, replace: true })
  }
  const create = useChange('createPortOrder', ({ data }) => {
    if (data.type !== 'portorder') return
    dropDraft()
    void goOn(data.id)
  })
  return { ...create, mutate: () => create.mutate({ body: bodyOf(numbers, details) }) }
}

const isAboutDetails = (finding: Finding) => isDetail(fieldOfFinding(finding))

/** The orders the request is split into, with reasons. */
function Split({ preview }: { preview: Awaited<ReturnType<typeof request<'createPortOrder'>>> }) {
  const { data } = preview
  if (data.type !== 'portorder_preview' || data.attributes.orders.length < 2) return null
  return (
    <section role="status" aria-label="Orders">
      <Stack gap="narrow">
        <h3>This request becomes {data.attributes.orders.length} orders, which are ported separately</h3>
        <Stack as="ul" gap="narrow">
          {data.attributes.orders.map(({ reason, numbers, cost }) => (
            <li key={reason} className={css.splitOrder}>
              <span>{reason}</span>
              <Soft>
                {numbersText(numbers.length)} · ${cost}
              </Soft>
            </li>
          ))}
        </Stack>
      </Stack>
    </section>
  )
}

/** The details of a created order; each field is saved on blur and shows the check's findings. */
export function SavedCarrierStep({ order, onDone }: { order: PortOrder; onDone(): void }) {
  const details = useDetails(order)
  const check = useQuery(checkOf(order.id))
  const findings = (check.data?.data.attributes.findings ?? []).filter(isAboutDetails)
  const errors = findings.filter(({ severity }) => severity === 'error')
  return (
    <StepPanel
      title={title}
      words={words}
      verbs={
        <Button
          kind="primary"
          disabledReason={
            errors.length > 0 ? 'Correct the marked fields. The order would be rejected because of them.' : null
          }
          onPress={onDone}
        >
          Continue
        </Button>
      }
    >
      <p role="status" className={css.finding} data-meaning={checkMeaning(errors.length, findings.length)}>
        {checkText(errors.length, findings.length)}
      </p>
      <DetailsForm {...details} findings={findings} />
      {details.refusal !== null && <Problem refusal={refusalOf(details.refusal)} />}
    </StepPanel>
  )
}

const checkMeaning = (errors: number, all: number) => (errors > 0 ? 'refused' : all > 0 ? 'needs-you' : 'done')

function checkText(errors: number, all: number): string {
  if (errors > 0)
    return `The check found ${errors === 1 ? 'one error' : `${errors} errors`} that would get the order rejected.`
  if (all > 0) return `The check found ${all === 1 ? 'one warning' : `${all} warnings`}. You can continue.`
  return 'The check found no problems.'
}
