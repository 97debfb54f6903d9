import { isJsonObject, type Json, type JsonObject } from '../records/kinds.ts'
import type { LogOutcome } from './reader.ts'

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

/**
 * Describes the nearest miss of a refusal: `{"pod":3,"have":4,"need":5}` gives `pod 3 has 4 of 5`. A nearest miss
 * without `have` and `need`, or `start` and `end`, is described by its JSON.
 */
export function describeNearest(nearest: Json): string {
  if (typeof nearest !== 'object' || nearest === null || Array.isArray(nearest))
    return typeof nearest === 'string' ? nearest : JSON.stringify(nearest)
  const { have, need, start, end, ...where } = nearest as { readonly [key: string]: Json }
  const place = Object.entries(where)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  if (typeof have === 'number' && typeof need === 'number')
    return `${place === '' ? '' : `${place} has `}${have} of ${need}`
  if (typeof start === 'number' && typeof end === 'number')
    return `the reservation starts at ${start} s, the job would end at ${end} s`
  return JSON.stringify(nearest)
}

/** Describes the outcome of reading a log in a sentence for people. */
export function describeOutcome(outcome: LogOutcome): string {
  const unsealed = outcome.records - outcome.sealed
  switch (outcome.status) {
    case 'whole':
      return `whole: ${outcome.records} records, sealed to the end`
    case 'unsealed':
      if (outcome.fault !== undefined)
        return `ended early, sealed to its last record: at t = ${outcome.fault.t} s the policy failed, record ${outcome.fault.seq}: ${outcome.fault.message}`
      return `not finished: the end record is missing after ${outcome.records} records, the last ${unsealed} not sealed`
    case 'torn':
      return `torn: line ${outcome.line} was dropped: ${outcome.reason}; ${outcome.records} records before the line, the last ${unsealed} not sealed`
    case 'corrupt':
      return `corrupt at byte ${outcome.offset}, line ${outcome.line}: ${outcome.reason}; ${outcome.records} sealed records before the line`
  }
}
