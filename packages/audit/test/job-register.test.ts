import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JobRegister } from '../src/cluster/job-lists.ts'

const id = fc.oneof(
  fc.nat(40).map(String),
  fc.nat(20_000).map(String),
  fc.constantFrom('', '0', '00', '007', '7 ', '-1', '1e3', '999999999', '1000000000', '4294967296', 'job', '７'),
)

test('JobRegister finds the same jobs as a Map, for any ids', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 60 }), fc.array(id), (added, asked) => {
      const register = new JobRegister<{ readonly place: number }>()
      const map = new Map<string, { readonly place: number }>()
      added.forEach((each, place) => {
        const job = { place }
        register.add(each, job)
        map.set(each, job)
        expect(register.size).toBe(map.size)
      })
      for (const each of [...added, ...asked]) expect(register.get(each)).toBe(map.get(each))
    }),
  )
})
