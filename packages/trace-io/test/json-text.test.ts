import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonText } from '../src/index.ts'

/** JSON value in which an object is a list of members, so that a key can occur twice. */
type Tree = number | string | ReadonlyArray<Tree> | { readonly members: ReadonlyArray<readonly [string, Tree]> }

const key = fc.constantFrom('a', 'b', '"', '\\', ':', '{', 'é', '__proto__', 'toString', '')
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.integer(),
    key,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.record({ members: fc.array(fc.tuple(key, tie('tree')), { maxLength: 4 }) }),
  ),
}))

/** Writes JSON. If `ascii` is true, characters of keys are escaped: two spellings of a key are the same key. */
function written(value: Tree, ascii: boolean): string {
  const text = (each: string): string => {
    const plain = JSON.stringify(each)
    return ascii ? plain.replaceAll('é', '\\u00e9') : plain
  }
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return text(value)
  if (!('members' in value)) return `[${value.map((each) => written(each, ascii)).join(' ,\n')}]`
  return `{${value.members.map(([name, each], at) => `${text(name)}\n:${written(each, ascii !== (at % 2 === 0))}`).join(', ')}}`
}

function repeats(value: Tree): boolean {
  if (typeof value !== 'object') return false
  if (!('members' in value)) return value.some(repeats)
  const names = value.members.map(([name]) => name)
  return new Set(names).size < names.length || value.members.some(([, each]) => repeats(each))
}

describe('parseJsonText, for a JSON text of a user,', () => {
  it('parseJsonText throws a JsonTextError if and only if an object of the text has a key twice', () => {
    let refused = 0
    fc.assert(
      fc.property(tree, fc.boolean(), (value, ascii) => {
        const text = written(value, ascii)
        if (!repeats(value)) expect(() => parseJsonText(text)).not.toThrow()
        else {
          refused++
          expect(() => parseJsonText(text)).toThrow(/the key .* is given twice in one object/s)
        }
      }),
      { numRuns: 2000 },
    )
    expect(refused).toBeGreaterThan(20)
  })

  it.each([
    ['{"a":1,"a":2}', 'line 1, column 8: the key "a" is given twice in one object'],
    [
      '{"a":{"é":1},\n "b":[{"c":":"},\n {"é":1,\n"\\u00e9":2}]}',
      'line 4, column 1: the key "é" is given twice in one object',
    ],
    ['{"__proto__":1,"__proto__":2}\n', 'line 1, column 16: the key "__proto__" is given twice in one object'],
  ])(
    'parseJsonText names the repeated key, and in a text of several lines its line, in the error for the text %s',
    (text, says) => {
      expect(() => parseJsonText(text)).toThrow(says)
    },
  )

  it.each([
    ['', 'line 1, column 1: expected a value, found the end'],
    ['{"a":1,\n  }', 'line 2, column 3: expected a key in double quotes, found "}"'],
    ['{"a":1,"a"', 'line 1, column 8: the key "a" is given twice in one object'],
    ['{"a" "a"}', 'line 1, column 6: expected a colon, found "\\""'],
    ['{"a":1 "b":2}', 'line 1, column 8: expected a comma or }, found "\\""'],
    ["{'a':1}", `line 1, column 2: expected a key in double quotes, found "'"`],
    ['[1,2', 'line 1, column 5: expected a comma or ], found the end'],
    ['[1,]', 'line 1, column 4: expected a value, found "]"'],
    ['[', 'line 1, column 2: expected a value or ], found the end'],
    ['[01]', 'line 1, column 3: expected a comma or ], found "1"'],
    ['[NaN]', 'line 1, column 2: expected a value, found "NaN"'],
    ['"a\nb"', 'line 1, column 1: expected a value, found "\\""'],
    ['{} x', 'line 1, column 4: expected the end of the text, found "x"'],
  ])('parseJsonText names line and column of the error in the text %j', (text, message) => {
    expect(() => parseJsonText(text)).toThrow(expect.objectContaining({ _tag: 'JsonTextError', message }))
  })

  it('regression: parseJsonText accepts one byte order mark before the text', () => {
    expect(parseJsonText('\uFEFF{"cells":[]}')).toEqual({ cells: [] })
    expect(() => parseJsonText('\uFEFF\uFEFF1')).toThrow('line 1, column 1')
  })

  it('parseJsonText refuses arrays that are nested 50,000 deep, by their depth', () => {
    const message = 'line 1, column 65: arrays and objects may be nested at most 64 deep'
    expect(() => parseJsonText('['.repeat(50_000))).toThrow(message)
  })

  it('parseJsonText accepts the same texts as JSON.parse, and returns the same values', () => {
    let refused = 0
    const result = (parse: (text: string) => unknown, text: string): string => {
      try {
        return JSON.stringify(parse(text))
      } catch {
        return 'refused'
      }
    }
    const piece = fc.constantFrom(
      ...'{ } [ ] , : " \\ \n'.split(' '),
      ' ',
      '""',
      '"x"',
      '"\\u00e9"',
      '"\\x"',
      '0',
      '-',
      '1.5e3',
      '1.',
      'null',
      'tru',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        const expected = result(JSON.parse, text)
        if (expected === 'refused') refused++
        expect(result(parseJsonText, text)).toBe(expected)
      }),
      { numRuns: 5000, examples: [[['{', '"x"', ':', '[', '0', ',', '"\\u00e9"', ']', '}']]] },
    )
    expect(refused).toBeLessThan(4990)
  })
})
