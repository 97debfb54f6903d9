import { parseJsonText, traceManifest } from '@cloister/trace-io'
import * as Data from 'effect/Data'
import * as Schema from 'effect/Schema'
import { OptionError } from './errors.ts'
import { type RunOptionName, runOptionNames } from './options.ts'
import type { RunFiles } from './services.ts'
import { canonicalSpec, optionOf, type RunSpec, specKey } from './spec.ts'

/** Error in the text of an experiment, with the wrong field. */
export class ExperimentError extends Data.TaggedError('ExperimentError')<{
  /** Path of the wrong field, such as `cells[0].queue`; empty for the whole experiment. */
  readonly field: string
  readonly reason: string
  /** Names of all known fields, if the wrong field is unknown. */
  readonly known?: ReadonlyArray<string>
}> {
  override get message(): string {
    return this.field === '' ? this.reason : `${this.field}: ${this.reason}`
  }
}

/**
 * Returns the runs of an experiment from its text: JSON, `{"cells": […]}`, with an optional text `note`. A field of a
 * cell is an option of a run, with a value or a list of values. A cell stands for every combination of the values. A
 * value of `policy` may be `{"name": …, "config": {…}}`. Equal runs count once.
 *
 * @param programs true if a policy may be a program, `exec:COMMAND`. Default: false, because the experiment may come from
 *   a stranger, and a command can do anything.
 * @throws ExperimentError if the text is no experiment
 */
export function parseExperiment(
  text: string,
  files: RunFiles['Service'],
  programs: boolean = false,
): ReadonlyArray<RunSpec> {
  const experiment = object(json(text), '', ['cells', 'note'])
  if (experiment['note'] !== undefined && typeof experiment['note'] !== 'string')
    wrong('note', experiment['note'], 'a text')
  const cells = experiment['cells']
  if (!Array.isArray(cells) || cells.length === 0) return wrong('cells', cells, 'a list of at least one cell')
  const specs = cells.flatMap((cell, index) => runsOf(cell, `cells[${index}]`, files, programs))
  return [...new Map(specs.map((spec) => [specKey(spec), spec])).values()]
}

/** Most runs of a cell. More runs are a mistake of the user, and the memory holds the descriptions of all runs. */
const MAX_RUNS = 100_000

/** Returns a run for each combination of the values in an entry of `cells`. The first option in `runOptions` changes slowest. */
function runsOf(cell: unknown, place: string, files: RunFiles['Service'], programs: boolean): ReadonlyArray<RunSpec> {
  const given = object(cell, place, runOptionNames)
  let runs: ReadonlyArray<object> = [{}]
  for (const name of runOptionNames) {
    const values = valuesOf(given[name], name, `${place}.${name}`, programs)
    if (values === undefined) continue
    if (runs.length * values.length > MAX_RUNS)
      throw new ExperimentError({
        field: place,
        reason: `stands for more than ${MAX_RUNS} runs, the most of a cell; split the cell`,
      })
    runs = runs.flatMap((run) => values.map((value) => ({ ...run, [name]: value })))
  }
  return runs.map((run) => {
    try {
      const spec = canonicalSpec(run, files)
      if (spec.resample?.startsWith('weeks:') === true && arrivalsOf(spec) === 'zero')
        throw new OptionError({
          option: 'resample',
          reason: `found ${spec.resample} with arrivals zero: weeks need the arrivals of the trace ("arrivals": "trace"); users:SEED needs no arrivals`,
        })
      return spec
    } catch (error) {
      if (!(error instanceof OptionError)) throw error
      throw new ExperimentError({ field: `${place}.${error.option}`, reason: error.reason })
    }
  })
}

/** Returns the arrivals of a run before its trace is read; undefined if only the trace shows the default. */
function arrivalsOf({ trace, arrivals }: RunSpec): string | undefined {
  const preset = traceManifest().logs.find((log) => log.preset === trace)?.arrivals
  return arrivals ?? (trace.startsWith('synth:') ? 'zero' : preset)
}

function valuesOf(
  given: unknown,
  name: RunOptionName,
  place: string,
  programs: boolean,
): ReadonlyArray<unknown> | undefined {
  if (given === undefined) return undefined
  const { schema, expected } = optionOf(name)
  const isRight = Schema.is(schema)
  const values: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  if (values.length === 0) wrong(place, given, `${expected}, or a list of such`)
  for (const value of values) {
    if (name === 'policy' && typeof value === 'object' && value !== null) checkPolicy(value, place, programs)
    else if (!isRight(value)) wrong(place, value, `${expected}, or a list of such`)
    else if (name === 'policy' || name === 'router' || name === 'order') checkCodeName(value, name, place, programs)
  }
  return values
}

function checkPolicy(value: object, place: string, programs: boolean): void {
  const { name, config } = object(value, place, ['name', 'config'])
  if (typeof name !== 'string' || name === '') wrong(`${place}.name`, name, 'a text')
  checkCodeName(name, 'policy', `${place}.name`, programs)
  if (config !== undefined && !Schema.is(optionOf('config').schema)(config))
    wrong(`${place}.config`, config, optionOf('config').expected)
}

/** Refuses a URL: an experiment may come from a stranger, and a URL can contain code. */
function checkCodeName(name: unknown, of: 'policy' | 'router' | 'order', place: string, programs: boolean): void {
  if (of !== 'router' && String(name).startsWith('exec:')) {
    if (programs) return
    wrong(
      place,
      name,
      `a ${of} that is no program; the variable CLOISTER_PROGRAMS=1 allows the programs of experiments`,
    )
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(String(name)))
    wrong(place, name, `the name of a ${of}, the name of a package or the path of a file, not a URL`)
}

function json(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    const example = '{"cells":[{"trace":"synth:16","topology":"radix:16","policy":["baseline","jigsaw"]}]}'
    throw new ExperimentError({ field: '', reason: `${(error as Error).message}; expected JSON, such as ${example}` })
  }
}

function object(value: unknown, place: string, known: ReadonlyArray<string>): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(place, value, 'an object')
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const field = place === '' ? key : `${place}.${key}`
    throw new ExperimentError({ field, reason: 'no field has this name', known })
  }
  return value as Readonly<Record<string, unknown>>
}

const SHOWN_CHARACTERS = 60

function wrong(field: string, found: unknown, expected: string): never {
  if (found === undefined) throw new ExperimentError({ field, reason: `is missing; expected ${expected}` })
  const text = JSON.stringify(found)
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  throw new ExperimentError({ field, reason: `found ${shown}, expected ${expected}` })
}
