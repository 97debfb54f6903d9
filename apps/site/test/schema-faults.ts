import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020.js'
import { siteFile } from './built-site.ts'

/** Returns a schema that allows only the fields that the schema names, because a program must write no other fields. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]))
  return inner['type'] === 'object' && 'properties' in inner ? { additionalProperties: false, ...inner } : inner
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { 'date-time': TIME } })

/** Returns a JSON Schema of the site. */
export function schemaOf(name: string): object {
  return JSON.parse(siteFile(`schemas/${name}.schema.json`)) as object
}

/** Returns a function that returns the faults of a value by a JSON Schema of the site, of which no field is excess. */
export function faultsBy(name: string): (value: unknown) => ReadonlyArray<string> {
  const validate = ajv.compile(strict(schemaOf(name)) as object)
  return (value) => {
    validate(value)
    return (validate.errors ?? []).map(inWords)
  }
}

function inWords({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`
}
