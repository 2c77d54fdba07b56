import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { fieldError, queries, refusalOf, request, seenAccount, useChange } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Soft } from '../ui/soft.tsx'
import { DetailsForm } from './details-form.tsx'
import { useDetails } from './details.ts'
import { dropDraft, useDraft, type Draft } from './draft.ts'
import { fieldLabel, detailNames, isDetail, type DetailName, type Details } from './fields.ts'
import css from './form.module.css'
import { checkOf, fieldOfFinding, type Finding } from './queries.ts'
import { StepPanel } from './step-panel.tsx'
import { numbersText, type PortOrder } from './words.ts'

const title = 'Who has them now?'
const words = 'The losing carrier compares this with its own record, letter by letter. Have its latest bill at hand.'

/** What is typed as the body of a new order: a field that is empty is left out. */
const bodyOf = (numbers: readonly string[], details: Details) => ({
  data: {
    type: 'portorder',
    attributes: {
      ...Object.fromEntries(Object.entries(details).filter(([, value]) => value.trim() !== '')),
      numbers: [...numbers],
    } as NewAttributes,
  },
})

/** Whether all is there that has to be is for the API to say. */
type NewAttributes = Parameters<typeof request<'createPortOrder'>>[1] extends infer I
  ? I extends { body: { data: { attributes: infer A } } }
    ? A
    : never
  : never

/** What would be ordered with what is typed so far, or what is wrong with it; nothing is written. */
const dryRun = (numbers: readonly string[], details: Details) =>
  queryOptions({
    queryKey: ['createPortOrder', 'dry run', seenAccount(), numbers, details],
    queryFn: ({ signal }) =>
      request('createPortOrder', { query: { dry_run: true }, body: bodyOf(numbers, details) }, signal),
  })

/** Details before the order is created: each field is checked when it is left. */
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
          // what was refused is checked anew, field by field
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
            title: rest.findings.length === 0 ? rest.title : 'The order is not saved yet.',
            findings: rest.findings.map((each) => ({ ...each, field: labelOf(each.field) })),
          }}
        />
      )}
    </StepPanel>
  )
}

const labelOf = (field: string | null) => (field === null || !isDetail(field) ? field : fieldLabel(field))

/** Creates the order, and goes on to what its check leaves to be done. */
function useCreate({ numbers, details }: Draft) {
  const navigate = useNavigate()
  const create = useChange('createPortOrder')
  const mutate = () =>
    create.mutate(
      { body: bodyOf(numbers, details) },
      {
        onSuccess: ({ data }) => {
          if (data.type !== 'portorder') return
          dropDraft()
          void goOn(data.id)
        },
      },
    )
  const goOn = async (id: string) => {
    const { data } = await queries.fetchQuery(checkOf(id))
    const open = data.attributes.findings.some(isAboutDetails)
    await navigate({
      to: '/port-orders/new',
      search: { order: id, step: open ? 'carrier' : 'documents' },
      replace: true,
    })
  }
  return { mutate, reset: create.reset, error: create.error, isPending: create.isPending }
}

const isAboutDetails = (finding: Finding) => isDetail(fieldOfFinding(finding))

/** The orders that the request is split into, each with the reason. */
function Split({ preview }: { preview: Awaited<ReturnType<typeof request<'createPortOrder'>>> }) {
  const { data } = preview
  if (data.type !== 'portorder_preview' || data.attributes.orders.length < 2) return null
  return (
    <section role="status" aria-label="What will be ordered">
      <Stack gap="narrow">
        <h3>This will be {data.attributes.orders.length} orders, which carriers treat one by one</h3>
        <ul className={css.split}>
          {data.attributes.orders.map(({ reason, numbers, cost }) => (
            <li key={reason} className={css.splitOrder}>
              <span>{reason}</span>
              <Soft>
                {numbersText(numbers.length)} · ${cost}
              </Soft>
            </li>
          ))}
        </ul>
      </Stack>
    </section>
  )
}

/** Details of an order that is created: each is saved when its field is left, and the check stands beside it. */
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
          disabledReason={errors.length > 0 ? 'Correct what is marked: the order would be rejected for it.' : null}
          onPress={onDone}
        >
          Continue
        </Button>
      }
    >
      <p role="status" className={css.finding} data-severity={checkTone(errors.length, findings.length)}>
        {checkText(errors.length, findings.length)}
      </p>
      <DetailsForm {...details} findings={findings} />
      {details.refusal !== null && <Problem refusal={refusalOf(details.refusal)} />}
    </StepPanel>
  )
}

const checkTone = (errors: number, all: number) => (errors > 0 ? 'error' : all > 0 ? 'warning' : 'none')

function checkText(errors: number, all: number): string {
  if (errors > 0)
    return `The check found ${errors === 1 ? 'one thing' : `${errors} things`} for which it would be rejected.`
  if (all > 0) return `The check found ${all === 1 ? 'one thing' : `${all} things`} to look at. You may go on.`
  return 'The check found nothing for which it would be rejected.'
}
