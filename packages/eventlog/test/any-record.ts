import { formatIdset } from '@cloister/topology'
import fc from 'fast-check'
import type { Appendable } from '../src/index.ts'
import * as kinds from '../src/records/kinds.ts'
import { type RecordType, recordTable } from '../src/records/table.ts'
import { digest, idsBelow, job, json, milliseconds, natural, text } from './sample-logs.ts'

/** Idsets of any level of a machine with 16 nodes and 16 links a level. */
const idset = idsBelow(16).map((each) => formatIdset(each))
const links = fc
  .array(idset, { minLength: 1, maxLength: 2 })
  .map((all) => all.slice(0, all.findLastIndex((each) => each !== '') + 1))
  .filter((all) => all.length > 0)

const values = new Map<unknown, fc.Arbitrary<unknown>>([
  [kinds.natural, natural],
  [kinds.reference, natural],
  [kinds.time, milliseconds.map((ms) => ms / 1000)],
  [kinds.text, text],
  [kinds.digest, digest],
  [kinds.idset, idset],
  [kinds.links, links],
  [kinds.tableEntries, fc.constantFrom(['0 0:0'], ['0-1 0-1:0+2', '3 0-3:-'])],
  [kinds.naturals, fc.array(fc.nat(20), { maxLength: 4 })],
  [kinds.json, json],
])

function valueOf(name: string, kind: kinds.Kind<any>): fc.Arbitrary<unknown> {
  if (name === 'job') return job
  if (kind.values !== undefined) return fc.constantFrom(...(kind.values as ReadonlyArray<unknown>))
  if (kind.fields !== undefined) {
    const object = objectOf(kind.fields)
    return kind.name.startsWith('list') ? fc.array(object, { minLength: 1, maxLength: 3 }) : object
  }
  if (kind.name.startsWith('integer from ')) {
    const least = Number(kind.name.slice('integer from '.length))
    return natural.filter((value) => value >= least)
  }
  const known = values.get(kind)
  if (known === undefined) throw new Error(`no values are known of the kind ${kind.name}`)
  return known
}

function objectOf(fields: kinds.Fields): fc.Arbitrary<object> {
  const members = Object.entries(fields)
  return fc.record(Object.fromEntries(members.map(([name, { kind }]) => [name, valueOf(name, kind)])), {
    requiredKeys: members.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    noNullPrototype: true,
  })
}

/** Types of records that can be appended to a log. */
export const appendableTypes = (Object.keys(recordTable) as ReadonlyArray<RecordType>).filter(
  (type) => type !== 'header' && type !== 'seal',
)

/** Returns any record of a type from the table: every optional field is present in some records and absent in some. */
export function anyRecord(type: RecordType): fc.Arbitrary<Appendable> {
  const t = milliseconds.map((ms) => ms / 1000)
  return fc
    .tuple(t, objectOf(recordTable[type]))
    .map(([time, body]) => ({ seq: 0, t: time, type, ...body }) as unknown as Appendable)
}
