// Adds the meanings of metrics to the JSON Schemas of results: types have only the names of metrics, and the table of
// metrics has the meanings.
import { metricList } from '@cloister/metrics'
import type { JsonSchema } from './json-schema.ts'

type Properties = Readonly<Record<string, JsonSchema>>

const inUnits: Readonly<Record<string, string>> = { share: ' A fraction of 1.', seconds: ' In seconds.' }

/** Meaning of every metric, by the path of the metric such as `wait.mean`. */
const meanings: ReadonlyMap<string, string> = new Map(
  metricList.map(({ name, meaning, unit }) => [name, meaning + (inUnits[unit] ?? '')]),
)
const firstNames = [...new Set(metricList.map(({ name }) => name.split('.')[0]))]

/** Returns a JSON Schema to which the meanings of metrics are added, in each object with the metrics of a run. */
export function withMeanings(schema: JsonSchema): JsonSchema {
  return everywhere(schema) as JsonSchema
}

function everywhere(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(everywhere)
  if (typeof value !== 'object' || value === null) return value
  const inside = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, everywhere(member)]))
  const properties = inside['properties'] as Properties | undefined
  const isRun = properties !== undefined && firstNames.every((name) => Object.hasOwn(properties, name))
  return isRun ? { ...inside, properties: explained(properties, '') } : inside
}

function explained(properties: Properties, above: string): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const path = above + name
      const description = meanings.get(path)
      if (description !== undefined) return [name, { ...field, description }]
      const inner = field['properties'] as Properties | undefined
      return [name, inner === undefined ? field : { ...field, properties: explained(inner, `${path}.`) }]
    }),
  )
}
