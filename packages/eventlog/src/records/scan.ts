import { ascii } from '../log/ascii.ts'
import {
  digest,
  type Field,
  type Fields,
  idset,
  integer,
  type Kind,
  links,
  natural,
  positive,
  reference,
  tableEntries,
  text,
  time,
} from './kinds.ts'
import { type RecordType, recordTable } from './table.ts'
import type { Written } from './types.ts'

/**
 * Reader of most lines of a log in one pass, without a second check by a schema: records of numbers, ids and texts
 * without escapes, in the canonical spelling. A line that the scanner refuses may still be a record; `decodeRecord`
 * decides and describes the fault.
 */
export class LineScanner {
  readonly #forms: ReadonlyMap<string, RecordForm>
  #bytes: Uint8Array = new Uint8Array(0)
  /** The bytes decoded as latin1. The texts of the returned records are slices of this text. */
  #text = ''
  #at = 0

  /** @param may returns true for the fields that the lines may have; other fields are left to `decodeRecord` */
  constructor(may: (field: Field<any>) => boolean) {
    this.#forms = formsOf(may)
  }

  /**
   * Returns the record of a line, with unchecked idsets; `resourcesOf` checks idsets. Returns undefined if the scanner
   * cannot read the line; `decodeRecord` then decides.
   *
   * @param text the bytes, decoded as latin1
   * @param start index of the line's first byte
   * @param end index of the LF, or of the end of the bytes
   */
  scan(bytes: Uint8Array, text: string, start: number, end: number): Written | undefined {
    this.#bytes = bytes
    this.#text = text
    this.#at = start
    const seq = this.#passes(SEQ) ? this.#natural() : undefined
    const t = seq !== undefined && this.#passes(T) ? this.#time() : undefined
    const form = t !== undefined && this.#passes(TYPE) ? this.#forms.get(this.#plain() ?? '') : undefined
    if (form === undefined) return undefined
    const record: { [name: string]: unknown } = { seq, t, type: form.type }
    for (const { key, name, value, isOptional } of form.fields) {
      if (!this.#passes(key)) {
        if (isOptional) continue
        return undefined
      }
      const found = this.#value(value)
      if (found === undefined) return undefined
      record[name] = found
    }
    return this.#at === end - 1 && bytes[this.#at] === CLOSE ? (record as unknown as Written) : undefined
  }

  #value(form: ValueForm): unknown {
    if (form === 'natural') return this.#natural()
    if (form === 'positive') return this.#natural() || undefined
    if (form === 'integer') return this.#integer()
    if (form === 'time') return this.#time()
    if (form === 'text') return this.#quoted()
    if (form === 'links') return this.#links()
    const found = this.#quoted()
    if (form === 'digest') return found !== undefined && DIGEST.test(found) ? found : undefined
    return found !== undefined && form.includes(found) ? found : undefined
  }

  #passes(characters: Uint8Array): boolean {
    const bytes = this.#bytes
    const at = this.#at
    for (let i = 0; i < characters.length; i++) if (bytes[at + i] !== characters[i]) return false
    this.#at = at + characters.length
    return true
  }

  #natural(): number | undefined {
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    let value = 0
    for (let digit = bytes[at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at] - ZERO) value = value * 10 + digit
    const digits = at - start
    if (digits === 0 || digits > SURE_DIGITS || (digits > 1 && bytes[start] === ZERO)) return undefined
    this.#at = at
    return value
  }

  /** Reads an integer of any sign; returns undefined for -0, because a record spells zero without a sign. */
  #integer(): number | undefined {
    const isNegative = this.#bytes[this.#at] === MINUS
    if (isNegative) this.#at++
    const value = this.#natural()
    if (!isNegative || value === undefined) return value
    return value === 0 ? undefined : -value
  }

  /** Reads seconds with at most 3 decimals and no trailing zero. */
  #time(): number | undefined {
    const seconds = this.#natural()
    const bytes = this.#bytes
    if (seconds === undefined || seconds > SURE_SECONDS) return undefined
    if (bytes[this.#at] !== POINT) return seconds
    const start = ++this.#at
    let thousandths = 0
    let last = ZERO
    for (let unit = 100; unit >= 1; unit /= 10) {
      const code = bytes[this.#at]
      if (!(code >= ZERO && code <= ZERO + 9)) break
      thousandths += (code - ZERO) * unit
      last = code
      this.#at++
    }
    // The quotient of two whole numbers is the double nearest to the decimal number.
    return this.#at === start || last === ZERO ? undefined : (seconds * 1000 + thousandths) / 1000
  }

  #quoted(): string | undefined {
    if (this.#bytes[this.#at] !== QUOTE) return undefined
    this.#at++
    return this.#plain()
  }

  /** Returns the text up to the next quote; undefined if an escape or a byte outside printable ASCII comes first. */
  #plain(): string | undefined {
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    for (let code = bytes[at]; code !== QUOTE; code = bytes[++at])
      if (!(code >= SPACE && code <= TILDE) || code === BACKSLASH) return undefined
    this.#at = at + 1
    // V8 copies a slice of fewer than SHARED characters. A longer slice would keep the whole text in memory, so
    // JSON.parse makes a copy.
    const text = this.#text
    return at - start < SHARED ? text.slice(start, at) : (JSON.parse(text.slice(start - 1, at + 1)) as string)
  }

  #links(): ReadonlyArray<string> | undefined {
    const found: Array<string> = []
    for (let opening = OPEN_LIST; this.#bytes[this.#at] === opening; opening = COMMA) {
      this.#at++
      const each = this.#quoted()
      if (each === undefined) return undefined
      found.push(each)
    }
    if (this.#bytes[this.#at] !== CLOSE_LIST || found.length === 0 || found[found.length - 1] === '') return undefined
    this.#at++
    return found
  }
}

type ValueForm = 'natural' | 'positive' | 'integer' | 'time' | 'text' | 'digest' | 'links' | ReadonlyArray<unknown>

const valueForms = new Map<Kind<any>, ValueForm>([
  [natural, 'natural'],
  [positive, 'positive'],
  [integer, 'integer'],
  [reference, 'natural'],
  [time, 'time'],
  [text, 'text'],
  [idset, 'text'],
  [digest, 'digest'],
  [links, 'links'],
  [tableEntries, 'links'],
])

interface FieldForm {
  readonly name: string
  readonly key: Uint8Array
  readonly value: ValueForm
  readonly isOptional: boolean
}

/** Returns the fields that the scanner can read; undefined if the scanner cannot read a required field. */
function fieldForms(fields: Fields, may: (field: Field<any>) => boolean): ReadonlyArray<FieldForm> | undefined {
  const forms: Array<FieldForm> = []
  for (const [name, field] of Object.entries(fields)) {
    const { kind, isOptional } = field
    const value = may(field) ? (valueForms.get(kind) ?? kind.values) : undefined
    if (value !== undefined) forms.push({ name, key: ascii(`,"${name}":`), value, isOptional })
    else if (!isOptional) return undefined
  }
  return forms
}

interface RecordForm {
  readonly type: string
  readonly fields: ReadonlyArray<FieldForm>
}

function formsOf(may: (field: Field<any>) => boolean): ReadonlyMap<string, RecordForm> {
  const forms = new Map<string, RecordForm>()
  for (const type of Object.keys(recordTable) as ReadonlyArray<RecordType>) {
    const fields = fieldForms(recordTable[type], may)
    // A record of an added type is an addition even if the record has none of the type's fields.
    const mayBe = type !== 'header' && Object.values<Field<any>>(recordTable[type]).some(may)
    if (fields !== undefined && mayBe) forms.set(type, { type, fields })
  }
  return forms
}

const SEQ = ascii('{"seq":')
const T = ascii(',"t":')
const TYPE = ascii(',"type":"')
const DIGEST = /^[A-Za-z0-9_-]{43}$/
/** Number of digits up to which every integer is exact in a double. */
const SURE_DIGITS = 15
/** Seconds up to which every time with 3 decimals is valid in a log. */
const SURE_SECONDS = 1e11
/** Length in characters from which V8 does not copy a slice of a text. */
const SHARED = 13
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const MINUS = 45
const POINT = 46
const ZERO = 48
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const CLOSE = 125
const TILDE = 126
