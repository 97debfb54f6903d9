import { isJsonObject, type Json, type JsonObject } from '../records/json.ts'

/**
 * Describes the difference between two lines for people, by the first four fields that differ: `policy.name is "jigsaw"
 * there, "laas" here`. The lines need not be records: a line may be torn or damaged.
 */
export function differenceBetween(there: string, here: string): string {
  const [a, b] = [parsed(there), parsed(here)]
  if (a === undefined || b === undefined || a['type'] !== b['type']) return `there ${shown(there)}, here ${shown(here)}`
  const differences = differingFields('', a, b)
  const said = differences
    .slice(0, SHOWN_FIELDS)
    .map(([field, x, y]) => `${field} is ${spelled(x)} there, ${spelled(y)} here`)
  return [
    ...said,
    ...(differences.length > SHOWN_FIELDS ? [`${differences.length - SHOWN_FIELDS} more fields differ`] : []),
  ].join('; ')
}

const SHOWN_FIELDS = 4
const SHOWN_CHARACTERS = 120

type Difference = readonly [field: string, there: Json | undefined, here: Json | undefined]

function differingFields(path: string, a: JsonObject, b: JsonObject): Difference[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key): Difference[] => {
    const [x, y] = [own(a, key), own(b, key)]
    const field = path === '' ? key : `${path}.${key}`
    if (JSON.stringify(x) === JSON.stringify(y)) return []
    return isJsonObject(x) && isJsonObject(y) && path.length < SHOWN_CHARACTERS
      ? differingFields(field, x, y)
      : [[field, x, y]]
  })
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function parsed(line: string): JsonObject | undefined {
  try {
    const json: Json = JSON.parse(line)
    return isJsonObject(json) ? json : undefined
  } catch {
    return undefined
  }
}

function spelled(json: Json | undefined): string {
  return json === undefined ? 'absent' : shown(JSON.stringify(json))
}

function shown(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
