/** Deepest nesting of arrays and objects in JSON from a file or an argument; the same as for JSON in event logs. */
const MAX_DEPTH = 64

/** Error in a JSON text of a user. The message begins with the place: `line 3, column 7: expected …, found …`. */
export class JsonTextError extends SyntaxError {
  readonly _tag: 'JsonTextError' = 'JsonTextError'
  override readonly name: string = 'JsonTextError'
  /** Problem without the place. */
  readonly problem: string
  /** Line of the error, from 1. */
  readonly line: number
  /** Column of the error in UTF-16 code units, from 1. */
  readonly column: number

  constructor(problem: string, text: string, at: number) {
    const before = text.slice(0, at)
    const line = before.split('\n').length
    const column = at - before.lastIndexOf('\n')
    super(`line ${line}, column ${column}: ${problem}`)
    this.problem = problem
    this.line = line
    this.column = column
  }
}

/**
 * Returns the value of a JSON text that a user wrote. The text may begin with a byte order mark.
 *
 * @throws JsonTextError if the text is no JSON (RFC 8259), if an object has a key twice (`JSON.parse` silently takes the
 *   last value), or if arrays and objects are nested more than 64 deep
 */
export function parseJsonText(text: string): unknown {
  const json = text.replace(/^\uFEFF/, '')
  new Grammar(json).check()
  return JSON.parse(json)
}

const SPACE = /[ \t\n\r]*/y
// oxlint-disable-next-line no-control-regex -- JSON forbids control characters in strings
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Part of the text that a message shows. */
const SHOWN = /[\w.+-]{1,20}|[^]/y

/** Grammar of JSON. The class checks a text, and makes no value. */
class Grammar {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  check(): void {
    this.#value(1)
    if (this.#at < this.#text.length) this.#fail('the end of the text')
  }

  /** Reads a value and the white space around the value. @param depth nesting of the value, if it is an array or object */
  #value(depth: number): void {
    this.#take(SPACE)
    const opening = this.#text[this.#at]
    if (opening === '{' || opening === '[') {
      if (depth > MAX_DEPTH) this.#refuse(`arrays and objects may be nested at most ${MAX_DEPTH} deep`)
      this.#at++
      if (opening === '{') this.#members(depth)
      else this.#list('a value or ]', ']', () => this.#value(depth + 1))
    } else if (this.#take(STRING) === '' && this.#take(SCALAR) === '') this.#fail('a value')
    this.#take(SPACE)
  }

  #members(depth: number): void {
    const keys = new Set<string>()
    this.#list('a key in double quotes or }', '}', () => {
      const start = this.#at
      const raw = this.#take(STRING)
      if (raw === '') this.#fail('a key in double quotes')
      const key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
      if (keys.has(key)) {
        this.#at = start
        this.#refuse(`the key ${JSON.stringify(key)} is given twice in one object`)
      }
      keys.add(key)
      this.#take(SPACE)
      if (this.#text[this.#at] !== ':') this.#fail('a colon')
      this.#at++
      this.#value(depth + 1)
    })
  }

  /** Reads items with commas between them, and the closing bracket. */
  #list(expected: string, closing: string, item: () => void): void {
    this.#take(SPACE)
    if (this.#text[this.#at] === closing) this.#at++
    else if (this.#at === this.#text.length) this.#fail(expected)
    else
      for (let isOpen = true; isOpen; this.#at++) {
        this.#take(SPACE)
        item()
        const next = this.#text[this.#at]
        if (next !== ',' && next !== closing) this.#fail(`a comma or ${closing}`)
        isOpen = next === ','
      }
  }

  /** Reads the longest text that matches a sticky pattern. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? ['']
    this.#at += found.length
    return found
  }

  #fail(expected: string): never {
    SHOWN.lastIndex = this.#at
    const [found] = SHOWN.exec(this.#text) ?? [undefined]
    return this.#refuse(`expected ${expected}, found ${found === undefined ? 'the end' : JSON.stringify(found)}`)
  }

  #refuse(problem: string): never {
    throw new JsonTextError(problem, this.#text, this.#at)
  }
}
