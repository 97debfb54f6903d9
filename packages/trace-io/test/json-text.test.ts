import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonText, RepeatedKeyError } from '../src/index.ts'

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
  it('parseJsonText throws a RepeatedKeyError if and only if an object of the text has a key twice', () => {
    let refused = 0
    fc.assert(
      fc.property(tree, fc.boolean(), (value, ascii) => {
        const text = written(value, ascii)
        if (!repeats(value)) expect(() => parseJsonText(text)).not.toThrow()
        else {
          refused++
          expect(() => parseJsonText(text)).toThrow(RepeatedKeyError)
        }
      }),
      { numRuns: 2000 },
    )
    expect(refused).toBeGreaterThan(20)
  })

  it.each([
    ['{"a":1,"a":2}', 'the key "a" is given twice in one object'],
    ['{"a":{"é":1},\n "b":[{"c":":"},\n {"é":1,\n"\\u00e9":2}]}', 'line 4: the key "é" is given twice in one object'],
    ['{"__proto__":1,"__proto__":2}\n', 'the key "__proto__" is given twice in one object'],
  ])(
    'parseJsonText names the repeated key, and in a text of several lines its line, in the error for the text %s',
    (text, says) => {
      expect(() => parseJsonText(text)).toThrow(says)
    },
  )

  it('parseJsonText throws the error of JSON.parse for a text that is no JSON', () => {
    for (const text of ['', '{"a":1,"a"', '{"a" "a"}', '"\\']) expect(() => parseJsonText(text)).toThrow(SyntaxError)
  })
})
