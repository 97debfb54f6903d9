import { parseJsonText, RepeatedKeyError } from '@cloister/trace-io'
import * as Data from 'effect/Data'
import * as Schema from 'effect/Schema'
import { OptionError } from './errors.ts'
import { type RunOptionName, runOptionNames } from './options.ts'
import type { RunFiles } from './services.ts'
import { canonicalSpec, currentName, optionOf, type RunSpec, specKey } from './spec.ts'

/** What is wrong in an experiment, and where: `cells[0].queue`. */
export class ExperimentError extends Data.TaggedError('ExperimentError')<{
  /** Empty for the whole. */
  readonly field: string
  readonly reason: string
  /** For a field that there is not: those that there are. */
  readonly known?: ReadonlyArray<string>
}> {
  override get message(): string {
    return this.field === '' ? this.reason : `${this.field}: ${this.reason}`
  }
}

/**
 * Reads the text of an experiment: JSON, `{"cells": […]}`. A field of a cell is an option of a run; it has a value or a
 * list of values, and a cell stands for every combination of them. `policy` may be `{"name": …, "config": {…}}`. Runs
 * that occur more than once count once.
 *
 * @throws ExperimentError
 */
export function parseExperiment(text: string, files: RunFiles['Service']): ReadonlyArray<RunSpec> {
  const experiment = object(json(text), '', ['cells', 'note'])
  if (experiment['note'] !== undefined && typeof experiment['note'] !== 'string')
    wrong('note', experiment['note'], 'a text')
  const cells = experiment['cells']
  if (!Array.isArray(cells) || cells.length === 0) return wrong('cells', cells, 'a list of at least one cell')
  const specs = cells.flatMap((cell, index) => runsOf(cell, `cells[${index}]`, files))
  return [...new Map(specs.map((spec) => [specKey(spec), spec])).values()]
}

/** Runs of one cell: more are a slip, and would be made before the first of them starts. */
const MAX_RUNS = 100_000

/** Every combination of the values of the fields, the first field's values changing slowest. */
function runsOf(cell: unknown, place: string, files: RunFiles['Service']): ReadonlyArray<RunSpec> {
  const given = object(cell, place, runOptionNames)
  let runs: ReadonlyArray<object> = [{}]
  for (const name of runOptionNames) {
    const values = valuesOf(given[name], name, `${place}.${name}`)
    if (values === undefined) continue
    if (runs.length * values.length > MAX_RUNS)
      wrongAs(place, `stands for more than ${MAX_RUNS} runs, the most of an experiment's cell`)
    runs = runs.flatMap((run) => values.map((value) => ({ ...run, [name]: value })))
  }
  return runs.map((run) => {
    try {
      return canonicalSpec(run, files)
    } catch (error) {
      if (!(error instanceof OptionError)) throw error
      throw new ExperimentError({ field: `${place}.${error.option}`, reason: error.reason })
    }
  })
}

/** The values that a field of a cell has; undefined where there is no such field. */
function valuesOf(given: unknown, name: RunOptionName, place: string): ReadonlyArray<unknown> | undefined {
  if (given === undefined) return undefined
  const { schema, expected } = optionOf(name)
  const isRight = Schema.is(schema)
  const values: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  if (values.length === 0) wrong(place, given, `${expected}, or a list of such`)
  for (const value of values) {
    if (name === 'policy' && typeof value === 'object' && value !== null) checkPolicy(value, place)
    else if (!isRight(value)) wrong(place, value, `${expected}, or a list of such`)
    else if (name === 'policy') checkPolicyName(value, place)
  }
  return values
}

function checkPolicy(value: object, place: string): void {
  const { name, config } = object(value, place, ['name', 'config'])
  if (typeof name !== 'string' || name === '') wrong(`${place}.name`, name, 'a text')
  checkPolicyName(name, `${place}.name`)
  if (config !== undefined && !Schema.is(optionOf('config').schema)(config))
    wrong(`${place}.config`, config, optionOf('config').expected)
}

/** A file may come from anybody: what it names is a package or a path, code that is there, and no URL, which can hold code itself. */
function checkPolicyName(name: unknown, place: string): void {
  if (/^[a-z][a-z0-9+.-]+:/i.test(String(name)))
    wrong(place, name, 'the name of a policy, a package, or the path of a file; a URL is none of these')
}

function json(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    if (error instanceof RepeatedKeyError) throw new ExperimentError({ field: '', reason: error.message })
    const example = '{"cells":[{"trace":"synth:16","topology":"radix:16","policy":["baseline","jigsaw"]}]}'
    throw new ExperimentError({ field: '', reason: `expected JSON, such as ${example} (${(error as Error).message})` })
  }
}

/** An object without other fields than the known ones. */
function object(value: unknown, place: string, known: ReadonlyArray<string>): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(place, value, 'an object')
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const field = place === '' ? key : `${place}.${key}`
    const current = known === runOptionNames ? currentName(key) : undefined
    if (current !== undefined)
      throw new ExperimentError({ field, reason: `is called ${current} now: ${optionOf(current).expected}` })
    throw new ExperimentError({ field, reason: 'there is no such field', known })
  }
  return value as Readonly<Record<string, unknown>>
}

const SHOWN_CHARACTERS = 60

function wrongAs(field: string, reason: string): never {
  throw new ExperimentError({ field, reason })
}

function wrong(field: string, found: unknown, expected: string): never {
  if (found === undefined) return wrongAs(field, `is missing; expected ${expected}`)
  const text = JSON.stringify(found)
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  return wrongAs(field, `found ${shown}, expected ${expected}`)
}
