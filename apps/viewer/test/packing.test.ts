import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pack, type TypedArray, unpack } from '../src/run/messages.ts'

it('`unpack` restores messages that `pack` has encoded, with any JSON value and any arrays', () => {
  // Arrays with many equal consecutive values, like the owners of nodes.
  const runs = fc
    .array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.nat(30)))
    .map((all) => Int32Array.from(all.flatMap(([value, length]) => new Array<number>(length).fill(value))))
  const short = fc.array(fc.integer({ min: -0x8001, max: 0x8000 })).map((all) => Int32Array.from(all))
  const array = fc.oneof<fc.Arbitrary<TypedArray>[]>(runs, short, fc.int32Array(), fc.float64Array(), fc.uint8Array())
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
        array,
        { noNullPrototype: true },
      ),
      (json, arrays) => {
        const found = unpack(pack({ json, arrays }).buffer)
        expect(found.json).toEqual(JSON.parse(JSON.stringify(json)))
        expect(found.arrays).toEqual(arrays)
      },
    ),
  )
})
