import {
  type Fields,
  idset,
  json,
  type Kind,
  links,
  natural,
  naturals,
  positive,
  reference,
  time,
} from '../records/kinds.ts'
import { recordTable } from '../records/table.ts'
import { ascii, type AsciiBuffer, LogWriteError } from './ascii.ts'
import type { RecordedEvent, RecordedType } from './recorder.ts'

/** Fields of an event, or of an object in an event, as `spellFields` writes them. */
export type FieldForms = ReadonlyArray<FieldForm>

interface FieldForm {
  readonly name: string
  /** Bytes before the value of the field: `,"cause":`. */
  readonly key: Uint8Array
  readonly isOptional: boolean
  readonly form: ValueForm
  /** Returns the spelling of a value whose form is `other`. */
  readonly encode: (value: any) => string
  /** Fields of the value if its form is `object`. */
  readonly fields: FieldForms
}

/** Form of a value: `other` is a text, a choice of values, or of a kind that no event has yet. */
type ValueForm = 'natural' | 'time' | 'idset' | 'links' | 'naturals' | 'json' | 'object' | 'other'

const valueForms: ReadonlyMap<Kind<any>, ValueForm> = new Map<Kind<any>, ValueForm>([
  [natural, 'natural'],
  [positive, 'natural'],
  [reference, 'natural'],
  [time, 'time'],
  [idset, 'idset'],
  [links, 'links'],
  [naturals, 'naturals'],
  [json, 'json'],
])

/**
 * Returns the fields of events by type. The key of the first field, which every event has, begins with the type:
 * `,"type":"release","job":`.
 *
 * @param hasNotes false to leave out the notes of allocations
 */
export function eventForms(hasNotes: boolean): ReadonlyMap<string, FieldForms> {
  const types = Object.keys(recordTable) as ReadonlyArray<RecordedType>
  return new Map(
    types.map((type) => {
      const forms = fieldForms(recordTable[type], `,"type":"${type}",`)
      return [type, forms.filter(({ name }) => hasNotes || name !== 'note')]
    }),
  )
}

/** @param opening text before the first field */
function fieldForms(of: Fields, opening: string): FieldForms {
  return Object.entries(of).map(([name, { kind, isOptional }], at) => ({
    name,
    key: ascii(`${at === 0 ? opening : ','}"${name}":`),
    isOptional,
    form: valueForms.get(kind) ?? (kind.name === 'object' ? 'object' : 'other'),
    encode: kind.encode,
    fields: kind.name === 'object' ? fieldForms(kind.fields!, '{') : [],
  }))
}

/** Writes the line of an event's record. @throws LogWriteError for a value that no log can hold */
export function spellEvent(out: AsciiBuffer, seq: number, forms: FieldForms, event: RecordedEvent): void {
  spellStart(out, seq, event.t)
  spellFields(out, forms, event)
  out.literal(CLOSE_LINE)
}

/** Writes the start of a record's line: seq and time. @param t integer milliseconds */
export function spellStart(out: AsciiBuffer, seq: number, t: number): void {
  out.seq = seq
  out.literal(SEQ)
  out.natural(seq)
  out.literal(T)
  out.time(t)
}

/** Writes the fields of an event, or of an object in an event, in the order of the table of records. */
function spellFields(out: AsciiBuffer, forms: FieldForms, event: object): void {
  const values = event as { readonly [name: string]: any }
  for (let i = 0; i < forms.length; i++) {
    const { name, key, isOptional, form, encode, fields } = forms[i]
    const value = values[name]
    if (value === undefined && isOptional) continue
    if (form === 'links') {
      spellLinks(out, key, value)
      continue
    }
    out.literal(key)
    if (form === 'natural') out.natural(value)
    else if (form === 'other') spellOther(out, value, encode)
    else if (form === 'idset') out.idset(value)
    else if (form === 'time') out.time(value)
    else if (form === 'naturals') out.naturals(value)
    else if (form === 'json') out.json(value)
    else {
      spellFields(out, fields, value)
      out.literal(CLOSE)
    }
  }
}

function spellOther(out: AsciiBuffer, value: unknown, encode: (value: unknown) => string): void {
  if (typeof value === 'string') out.string(value)
  else if (value === undefined) throw new LogWriteError(out.seq, 'expected a text, found undefined')
  else out.text(encode(value))
}

/** Leaves out the field if no level has a link, and the levels above the last link. */
function spellLinks(out: AsciiBuffer, key: Uint8Array, levels: ReadonlyArray<ArrayLike<number>>): void {
  let count = levels.length
  while (count > 0 && levels[count - 1].length === 0) count--
  if (count === 0) return
  out.literal(key)
  out.idsets(levels, count)
}

const SEQ = ascii('{"seq":')
const T = ascii(',"t":')
const CLOSE = ascii('}')
export const CLOSE_LINE: Uint8Array = ascii('}\n')
