import type { Item } from './output.ts'

/** Converts a resource to an item: the id with the attributes next to it, and related records by id, without links. */
export function itemOf(resource: unknown): Item {
  if (!isObject(resource)) return { value: resource }
  const { type, id, attributes, relationships, links: _, ...rest } = resource
  if (!isObject(attributes)) return resource
  return {
    ...(id === undefined ? {} : { id }),
    ...(type === undefined ? {} : { type }),
    ...(isObject(relationships) ? relatedIds(relationships) : {}),
    ...rest,
    // last, because an attribute takes precedence
    ...attributes,
  }
}

function relatedIds(relationships: Readonly<Record<string, unknown>>): Item {
  return Object.fromEntries(
    Object.entries(relationships).map(([name, relationship]) => {
      const data = isObject(relationship) ? relationship['data'] : null
      if (Array.isArray(data)) return [name, data.map((each) => (isObject(each) ? each['id'] : each))]
      return [`${name}_id`, isObject(data) ? data['id'] : null]
    }),
  )
}

/** The items of a response: those of a list, or the one of a document; none when it is neither. */
export function itemsOf(body: unknown): Item[] {
  const data = isObject(body) ? body['data'] : undefined
  if (Array.isArray(data)) return data.map(itemOf)
  return data === undefined ? [] : [itemOf(data)]
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
