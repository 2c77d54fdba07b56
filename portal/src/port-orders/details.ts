import { useState } from 'react'
import { fieldError, useChange } from '../api.ts'
import { detailsOf, type DetailName } from './fields.ts'
import type { PortOrder } from './words.ts'

type Values = ReadonlyMap<DetailName, string>

/** Editing of an order's details; each field is saved on blur. */
export function useDetails(order: PortOrder) {
  const saved = detailsOf(order.attributes)
  const [typed, setTyped] = useState<Values>(new Map())
  const [errors, setErrors] = useState<Values>(new Map())
  const change = useChange('updatePortOrder')
  // an empty secret field is unchanged
  const isChanged = (name: DetailName, value: string) =>
    value !== saved[name] && (value !== '' || !saved[name].startsWith('****'))
  const drop = (name: DetailName) => setTyped((before) => without(before, name))
  const save = async (name: DetailName, value: string): Promise<boolean> => {
    setErrors((before) => without(before, name))
    if (!isChanged(name, value)) {
      drop(name)
      return true
    }
    try {
      await change.mutateAsync({
        params: { portorder_id: order.id },
        body: { data: { type: 'portorder', attributes: { [name]: value } } },
      })
      drop(name)
      return true
    } catch (error) {
      const message = fieldError(error, name)
      // the form shows errors that are not about this field
      if (message !== null) setErrors((before) => new Map(before).set(name, message))
      return false
    }
  }
  return {
    values: { ...saved, ...Object.fromEntries(typed) },
    saved,
    isChanged,
    onType: (name: DetailName, value: string) => setTyped((before) => new Map(before).set(name, value)),
    save,
    onLeave: (name: DetailName, value: string) => void save(name, value),
    errorOf: (name: DetailName) => errors.get(name) ?? null,
    /** A refusal that is not about a field. */
    refusal: change.error !== null && errors.size === 0 ? change.error : null,
    isSaving: change.isPending,
    hasSaved: change.isSuccess,
  }
}

const without = (values: Values, name: DetailName): Values => new Map([...values].filter(([each]) => each !== name))
