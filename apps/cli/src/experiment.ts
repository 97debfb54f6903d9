import { readFileSync } from 'node:fs'
import { Schema } from 'effect'
import { type Cell, type CellField, type GivenCell, canonicalCell, cellFields, cellKey } from './cell.ts'
import { nearest } from './terminal/nearest.ts'
import { Problem } from './errors/problem.ts'

const oneOrMany = <A>(one: Schema.Codec<A>): Schema.Codec<A | ReadonlyArray<A>> =>
  Schema.Union([one, Schema.NonEmptyArray(one)])
const { trace, topology, policy, ...others } = cellFields
const optional = Object.fromEntries(
  Object.entries(others).map(([field, one]) => [field, Schema.optionalKey(oneOrMany(one as Schema.Codec<unknown>))]),
)
const Entry = Schema.Struct({
  trace: oneOrMany(trace as Schema.Codec<unknown>),
  topology: oneOrMany(topology as Schema.Codec<unknown>),
  policy: oneOrMany(policy as Schema.Codec<unknown>),
  ...optional,
})
const Experiment = Schema.Struct({ note: Schema.optionalKey(Schema.String), cells: Schema.NonEmptyArray(Entry) })

type Entry = { readonly [Field in CellField]?: unknown }

/**
 * Reads an experiment: JSON, `{"cells": […]}`. A field of a cell is a value or a list of values, and an entry stands for
 * every combination of them. Cells that occur more than once count once.
 *
 * @throws Problem that names the file and the field
 */
export function readExperiment(path: string): ReadonlyArray<Cell> {
  const experiment = decode(path, parse(path, readFileSync(path, 'utf8')))
  const cells = experiment.cells.flatMap((entry, index) =>
    combinations(entry).map((given) =>
      canonicalCell(given, (field, error) => {
        throw error instanceof Error && ('_tag' in error || 'syscall' in error)
          ? new Problem(`${path}: cells[${index}].${field}: ${error.message}`)
          : error
      }),
    ),
  )
  return [...new Map(cells.map((cell) => [cellKey(cell), cell])).values()]
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(
      `${path}: expected JSON, such as {"cells":[{"trace":"synth:16","topology":"radix:16","policy":["baseline","jigsaw"]}]} (${(error as Error).message})`,
    )
  }
}

function decode(path: string, json: unknown): { readonly cells: ReadonlyArray<Entry> } {
  try {
    return Schema.decodeUnknownSync(Experiment)(json, { onExcessProperty: 'error' })
  } catch (error) {
    throw new Problem(`${path}: ${misfit((error as Error).message)}`)
  }
}

/** `Expected number\n  at ["cells"][0]["seed"]` as `cells[0].seed: expected number`. */
function misfit(message: string): string {
  const [, text, place] = /^(.*)\n {2}at (\[.*\])$/s.exec(message) ?? ['', message, '']
  const field = place.replaceAll(/\["([^"]*)"\]/g, '.$1').replace(/^\./, '')
  if (!text.startsWith('Expected no excess property'))
    return `${field === '' ? '' : `${field}: `}${text.replace(/^[A-Z]/, (letter) => letter.toLowerCase()).replace(' | array', ' or a list')}`
  const known = field.includes('.policy')
    ? ['name', 'config']
    : field.startsWith('cells')
      ? Object.keys(cellFields)
      : ['cells', 'note']
  const close = nearest(field.replace(/^.*\./, ''), known)
  return `${field}: there is no such field${close === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${close}?`}`
}

/** Every combination of the values of the fields, the first field's values changing slowest. */
function combinations(entry: Entry): ReadonlyArray<GivenCell> {
  let cells: ReadonlyArray<object> = [{}]
  for (const field of Object.keys(cellFields)) {
    const given = entry[field as CellField]
    if (given === undefined) continue
    const values: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
    cells = cells.flatMap((cell) => values.map((value) => ({ ...cell, [field]: value })))
  }
  return cells as ReadonlyArray<GivenCell>
}
