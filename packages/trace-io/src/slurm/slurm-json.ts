import { quote, TraceError } from '../errors.ts'
import { parseJsonText, RepeatedKeyError } from '../json-text.ts'
import { swfMaximum } from '../swf/swf.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The values of one job or node in JSON of Slurm's, by their paths such as `time.start`. In any version of its data parser: numbers may be
 * bare or `{"set": …, "number": …}`, states words or lists of them.
 */
export class SlurmJson {
  readonly #file: string
  readonly #line: number
  readonly #fields: Fields
  readonly #within: string

  /**
   * @param file for messages
   * @param line of its list, from 1
   * @param within the path of what holds it, with a dot; empty for none
   */
  constructor(file: string, line: number, fields: unknown, within = '') {
    this.#file = file
    this.#line = line
    this.#fields = fieldsOf(fields)
    this.#within = within
  }

  value(path: string): unknown {
    return path.split('.').reduce<unknown>((at, name) => fieldsOf(at)[name], this.#fields)
  }

  /** Empty where it is no text. */
  text(path: string): string {
    return textOf(this.value(path))
  }

  /** The words of a list, or the only one. */
  words(path: string): ReadonlyArray<string> {
    const value = this.value(path)
    return (Array.isArray(value) ? (value as ReadonlyArray<unknown>) : [value])
      .map(textOf)
      .filter((word) => word !== '')
  }

  /** What is listed there; nothing where it is no list. */
  list(path: string): ReadonlyArray<SlurmJson> {
    const value = this.value(path)
    if (!Array.isArray(value)) return []
    return (value as ReadonlyArray<unknown>).map((each) => new SlurmJson(this.#file, this.#line, each, `${path}.`))
  }

  /** -1 where it is not set, or without limit. @throws TraceError for anything but a whole number */
  number(path: string): number {
    const value = this.value(path)
    if (value === undefined || value === null) return -1
    const wrapped = fieldsOf(value)
    if (wrapped.set === false || wrapped.infinite === true) return -1
    const number = 'number' in wrapped ? wrapped.number : value
    if (Number.isSafeInteger(number) && (number as number) >= 0 && (number as number) <= swfMaximum)
      return number as number
    return this.fail(path, `a whole number from 0 to ${swfMaximum}`)
  }

  /** Says what stands there. @throws TraceError */
  fail(path: string, expected: string): never {
    const value = this.value(path)
    const found = value === undefined ? 'nothing' : quote(typeof value === 'string' ? value : JSON.stringify(value))
    throw new TraceError({ file: this.#file, line: this.#line, field: `${this.#within}${path}`, found, expected })
  }
}

/**
 * A list of what Slurm prints as JSON.
 *
 * @param whose for messages: `what sacct --json prints`
 * @throws TraceError where the text is no JSON, or has no such list
 */
export function slurmJsonList(text: string, list: string, file: string, whose: string): ReadonlyArray<SlurmJson> {
  const items = parse(text, file, whose)[list]
  if (!Array.isArray(items)) throw new TraceError({ file, found: `no list "${list}"`, expected: whose })
  return (items as ReadonlyArray<unknown>).map((item, index) => new SlurmJson(file, index + 1, item))
}

function parse(text: string, file: string, whose: string): Fields {
  try {
    return fieldsOf(parseJsonText(text.replace(/^\uFEFF/, '')))
  } catch (error) {
    if (error instanceof RepeatedKeyError)
      throw new TraceError({
        file,
        line: error.line,
        found: `the key ${JSON.stringify(error.key)} twice in one object`,
        expected: `it once, as in ${whose}`,
      })
    throw new TraceError({ file, found: `no JSON (${(error as Error).message})`, expected: whose })
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
